// What no command takes: words that name none, and arguments beyond those it names.
import type { Command } from 'commander'
import { programName } from '#config.ts'
import { printable } from '#safety/printable.ts'

/** Whatever is wrong in a command points to its own help, and no command takes more than it names. */
export function holdToTheirOwn(command: Command, path = programName()): void {
  command.showHelpAfterError(`(see ${path} --help)`)
  // Where there are commands below, what is too much is an unknown one, and its action says so.
  command.allowExcessArguments(command.commands.length > 0)
  command.addHelpText('before', () => refuseStranger(command))
  for (const each of command.commands) holdToTheirOwn(each, `${path} ${each.name()}`)
}

/** Ends with the usage code when a command with others below it was given a word that is none of theirs. */
export function refuseUnknown(command: Command, name = command.args[0]): void {
  if (name !== undefined) command.error(`error: unknown command '${printable(name)}'`)
}

/** Nobody is shown the help of another command than the one they named. */
function refuseStranger(command: Command): string {
  const [name] = command.args.filter((arg) => arg !== 'help' && !arg.startsWith('-'))
  const known =
    name === undefined || command.commands.length === 0 || command.commands.some((each) => each.name() === name)
  if (!known) refuseUnknown(command, name)
  return ''
}
