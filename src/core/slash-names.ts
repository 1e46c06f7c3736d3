// Words that are commands after a slash, at one of the doors or to be: no skill has such a name.

const slashNames = [
  'attach',
  'exit',
  'help',
  'login',
  'memory',
  'missions',
  'model',
  'new',
  'open',
  'queue',
  'quit',
  'receipt',
  'skills',
  'start',
  'status',
  'stop',
  'threads',
  'tools',
  'waiting',
] as const

export type SlashName = (typeof slashNames)[number]

/** True for the name of a slash command. */
export function isSlashName(name: string): boolean {
  return slashNames.some((each) => each === name)
}
