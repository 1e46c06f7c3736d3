// Label and icon of each door. The labels are those of `core/doors`; a test compares them.
import type { Door } from '#doors/web/wire/turn.ts'

export type DoorLook = {
  readonly icon: 'terminal' | 'browser' | 'webhook' | 'api' | 'clock' | 'chat'
  readonly label: string
}

export const doors: Readonly<Record<Door, DoorLook>> = {
  terminal: { icon: 'terminal', label: 'Terminal' },
  run: { icon: 'terminal', label: 'Terminal' },
  web: { icon: 'browser', label: 'Browser' },
  webhook: { icon: 'webhook', label: 'Webhook' },
  responses: { icon: 'api', label: 'API' },
  completions: { icon: 'api', label: 'API' },
  mission: { icon: 'clock', label: 'Mission' },
  telegram: { icon: 'chat', label: 'Telegram' },
}

/** An unknown door, of a newer service, looks like the browser. */
export function doorOf(door: Door): DoorLook {
  return doors[door] ?? doors.web
}

/** The first door with the same label: the page shows doors with one label as one door. */
export function sameDoor(door: Door): Door {
  const { label } = doorOf(door)
  return names.find((name) => doors[name].label === label) ?? door
}

const names = Object.keys(doors) as Door[]

/** The doors to choose from, each label once. */
export const doorChoices: readonly { readonly value: Door; readonly label: string }[] = names
  .filter((name) => sameDoor(name) === name)
  .map((value) => ({ value, label: doors[value].label }))

/** The name of a sender without an account, whose user id is `door:name`; undefined for other users. */
export function senderName(user: string): string | undefined {
  const [door = ''] = user.split(':', 1)
  return door !== user && Object.hasOwn(doors, door) ? user.slice(door.length + 1) : undefined
}
