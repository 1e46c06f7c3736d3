// The table of doors: everything that other code needs to know about a door. A new door is a row here, a folder in
// `doors/` and its routes. Code checks a property of the row, never the name.
import { type UserId, userId } from './ids.ts'

export type DoorRow = {
  /** The name on screens. Doors with the same label are one door to people. */
  readonly label: string
  /** Two characters for a terminal. */
  readonly sign: string
  /** The number that usage is counted under. It is stored: never change it, never use one twice. 0 means no door. */
  readonly slot: number
  /** The operator uses it on the machine itself, over the local socket. */
  readonly local: boolean
  /** A person types here: a message that begins with `/name` loads the skill of that name. */
  readonly typed: boolean
  /** A new thread gets a title of the model: people look for it in a list. Other threads would cost twice. */
  readonly titled: boolean
  /** When the process runs its maximum of turns, messages wait; at other doors they are refused. */
  readonly queuesWhenFull: boolean
  /** Its senders have no account: the operator has access to their threads, jobs, gates and grants. */
  readonly operatorReaches: boolean
  /** Its callers follow a turn by a stream: one that leaves stops the turn (`turns/readers`). */
  readonly stopsWithoutReader: boolean
}

const plain = {
  local: false,
  typed: false,
  titled: false,
  queuesWhenFull: false,
  operatorReaches: false,
  stopsWithoutReader: false,
}

export const doors = {
  terminal: { ...plain, label: 'Terminal', sign: '>_', slot: 1, local: true, typed: true, titled: true },
  /** The terminal without its screen: `atrium run`. */
  run: { ...plain, label: 'Terminal', sign: '>_', slot: 2, local: true, typed: true },
  web: { ...plain, label: 'Browser', sign: '[]', slot: 3, typed: true, titled: true },
  webhook: { ...plain, label: 'Webhook', sign: '->', slot: 4, queuesWhenFull: true, operatorReaches: true },
  responses: { ...plain, label: 'API', sign: '{}', slot: 5, stopsWithoutReader: true },
  /** Chat completions: apps that know OpenAI's older wire. */
  completions: { ...plain, label: 'API', sign: '{}', slot: 6, stopsWithoutReader: true },
  /** Runs by the clock, or by hand. */
  mission: { ...plain, label: 'Mission', sign: '()', slot: 7, queuesWhenFull: true },
  telegram: { ...plain, label: 'Telegram', sign: '<>', slot: 8, typed: true, titled: true, queuesWhenFull: true },
} as const satisfies Readonly<Record<string, DoorRow>>

export type Door = keyof typeof doors

/** Doors of the machine itself. */
export type LocalDoor = { [Name in Door]: (typeof doors)[Name]['local'] extends true ? Name : never }[Door]

const rows: ReadonlyMap<string, DoorRow> = new Map(Object.entries(doors))

/** The row of a door. A database may name doors of a newer version: they get a row without properties. */
export function doorOf(name: Door): DoorRow {
  return rows.get(name) ?? { ...plain, label: name, sign: '??', slot: 0 }
}

export function isLocalDoor(name: string): name is LocalDoor {
  return rows.get(name)?.local ?? false
}

/** The door that usage was counted under. */
export function doorOfSlot(slot: number): Door | undefined {
  return doorNames.find((name) => doors[name].slot === slot)
}

const doorNames = Object.keys(doors) as Door[]

/** Doors whose senders have no account. */
export const senderDoors: readonly Door[] = doorNames.filter((name) => doors[name].operatorReaches)

/** The user id of a door's sender; each door has its own namespace. */
export function senderId(door: Door, sender: string): UserId {
  return userId(`${senderPrefix(door)}${sender}`)
}

/** The prefix of the user ids of a door's senders. */
export function senderPrefix(door: Door): string {
  return `${door}:`
}

/** The name of a sender at its door; the id for any other user. */
export function senderName(user: UserId): string {
  const door = senderDoors.find((name) => user.startsWith(senderPrefix(name)))
  return door ? user.slice(senderPrefix(door).length) : user
}
