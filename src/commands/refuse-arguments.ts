// The `help` commands, and refusal of unknown commands and excess arguments.
import type { Command } from 'commander'
import { programName } from '#config.ts'
import { similarWord } from '#lib/similar-word.ts'
import { printable } from '#safety/printable.ts'

/** What other programs call a command of this one. */
const otherWords: ReadonlyMap<string, string> = new Map([
  ['ask', 'run'],
  ['send', 'run'],
  ['prompt', 'run'],
  ['start', 'serve'],
  ['server', 'serve'],
  ['setup', 'onboard'],
  ['init', 'onboard'],
  ['config', 'onboard'],
  ['approvals', 'gates'],
  ['conversations', 'threads'],
  ['history', 'threads'],
  ['sessions', 'threads'],
  ['key', 'secret'],
  ['schedule', 'mission'],
])

/** Words for the same thing: a command has one of them. */
const sameWords = [
  ['list', 'ls'],
  ['remove', 'delete', 'rm', 'revoke', 'forget'],
  ['add', 'new', 'create', 'install', 'connect'],
  ['show', 'info', 'get', 'read'],
] as const

/** Commands that list what they are about. */
const lists: ReadonlySet<string> = new Set(['gates', 'grants', 'policy', 'threads'])

/** Adds `help [command...]` to a command with subcommands, and to those below it. */
export function addHelp(command: Command): void {
  command.helpCommand(false)
  if (command.commands.length === 0) return
  for (const each of command.commands) addHelp(each)
  command
    .command('help [command...]')
    .description('show the help of a command')
    .action((names: readonly string[]) => {
      let found = command
      for (const name of names) {
        const next = found.commands.find((each) => each.name() === name)
        if (!next) return refuseUnknown(found, name)
        found = next
      }
      found.help()
    })
}

/** Sets up a command and its subcommands: errors point to the command's own help, and excess arguments are refused. */
export function refuseExcess(command: Command, path = programName()): void {
  command.showHelpAfterError(`(see ${path} --help)`)
  // With subcommands, an excess argument is an unknown command.
  const hasCommands = command.commands.length > 0
  command.allowExcessArguments(hasCommands)
  command.hook('preAction', (_, action) => {
    if (hasCommands && action === command) refuseUnknown(command)
  })
  // Of a command without an action of its own.
  if (hasCommands) command.on('command:*', ([name]: readonly string[]) => refuseUnknown(command, name))
  command.addHelpText('before', () => refuseUnknownInHelp(command))
  for (const each of command.commands) refuseExcess(each, `${path} ${each.name()}`)
}

/** Exits with the usage code when the first argument is not a known subcommand. */
function refuseUnknown(command: Command, name = command.args[0]): void {
  if (name === undefined) return
  const known = command.commands.map((each) => each.name())
  const hint = hintFor(command, name, known)
  command.error(`error: unknown command '${printable(name)}'${hint === undefined ? '' : `\n(${hint})`}`)
}

function hintFor(command: Command, name: string, known: readonly string[]): string | undefined {
  const isTop = !command.parent
  if (name === 'chat' && isTop) return `${programName()} alone opens the chat`
  const same = isTop ? [] : (sameWords.find((words) => words.some((each) => each === name)) ?? [])
  if (lists.has(command.name()) && same.some((each) => each === 'list'))
    return `${programName()} ${command.name()} alone lists them`
  const meant = (isTop && otherWords.get(name)) || known.find((each) => same.some((word) => word === each))
  const near = meant ?? similarWord(name, known)
  return near && `Did you mean ${near}?`
}

/** For `--help` after an unknown name: refuses it instead of showing the help of the parent command. */
function refuseUnknownInHelp(command: Command): string {
  const [name] = command.args.filter((arg) => !arg.startsWith('-'))
  const known =
    name === undefined || command.commands.length === 0 || command.commands.some((each) => each.name() === name)
  if (!known) refuseUnknown(command, name)
  return ''
}
