// The doors, a row each: all that other files have to know of one. A new door is a row here, a folder in `doors/` and its
// routes; code asks for a property of the row, never for the name.
import { type UserId, userId } from './ids.ts'

export type DoorRow = {
  /** The name on screens. Doors with the same label are one door to people. */
  readonly label: string
  /** Two characters for a terminal. */
  readonly sign: string
  /** The number that usage is counted under. It is stored: never change it, never use one twice. 0 means no door. */
  readonly slot: number
  /** The operator uses it on the machine itself, through the local socket. */
  readonly local: boolean
  /** Messages wait while the process runs as many turns as it may; at other doors they are refused. */
  readonly queuesWhenFull: boolean
  /** The senders have no account: the operator reaches their threads, jobs, gates and grants. */
  readonly operatorReaches: boolean
}

const plain = { local: false, queuesWhenFull: false, operatorReaches: false }

export const doors = {
  terminal: { ...plain, label: 'Terminal', sign: '>_', slot: 1, local: true },
  /** The terminal without its screen: `atrium run`. */
  run: { ...plain, label: 'Terminal', sign: '>_', slot: 2, local: true },
  web: { ...plain, label: 'Browser', sign: '[]', slot: 3 },
  webhook: { ...plain, label: 'Webhook', sign: '->', slot: 4, queuesWhenFull: true, operatorReaches: true },
  responses: { ...plain, label: 'API', sign: '{}', slot: 5 },
} as const satisfies Readonly<Record<string, DoorRow>>

export type Door = keyof typeof doors

/** Doors of the machine itself. */
export type LocalDoor = { [Name in Door]: (typeof doors)[Name]['local'] extends true ? Name : never }[Door]

const rows: ReadonlyMap<string, DoorRow> = new Map(Object.entries(doors))

/** The row of a door. A database may hold rows of a newer program's doors: they have no properties here. */
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

/** The user that a sender of a door is: each door has a namespace of its own. */
export function senderId(door: Door, sender: string): UserId {
  return userId(`${senderPrefix(door)}${sender}`)
}

/** How the ids of a door's senders begin. */
export function senderPrefix(door: Door): string {
  return `${door}:`
}

/** What a sender is called at its door; of any other user the id. */
export function senderName(user: UserId): string {
  const door = senderDoors.find((name) => user.startsWith(senderPrefix(name)))
  return door ? user.slice(senderPrefix(door).length) : user
}
