// Slash commands: their names with a word on each, how input is parsed, and the help text.
import { wrapTextWithAnsi } from '@earendil-works/pi-tui'
import type { SlashName } from '#core/slash-names.ts'
import { commandOf } from '#turns/shell-command.ts'

/** The description of each command in its offer. */
export const commandWords = {
  '/threads': 'lists your threads',
  '/new': 'starts a new thread',
  '/open': 'opens a thread by words of its title',
  '/model': 'lists the models, or chooses one',
  '/tools': 'lists the tools',
  '/memory': 'searches memory',
  '/missions': 'lists your missions',
  '/skills': 'lists your skills',
  '/receipt': 'what the latest turn did and cost',
  '/attach': 'attaches a file; so does @path',
  '/waiting': 'lists what waits for you',
  '/queue': 'changes or removes queued messages',
  '/stop': 'stops the turn and all queued messages',
  '/login': 'makes a sign-in link for the browser',
  '/help': 'shows the keys and the commands',
  '/quit': 'leaves',
} as const satisfies Partial<Record<`/${SlashName}`, string>>
export type CommandName = keyof typeof commandWords

export const commands = Object.keys(commandWords) as readonly CommandName[]

/** The commands that words may follow. */
export const withWords: ReadonlySet<CommandName> = new Set([
  '/new',
  '/open',
  '/model',
  '/memory',
  '/receipt',
  '/attach',
])

export type Typed =
  | { readonly type: 'command'; readonly name: CommandName; readonly rest: string }
  /** A command for the shell of the workspace. */
  | { readonly type: 'shell'; readonly command: string }
  | { readonly type: 'unknown'; readonly word: string }
  | { readonly type: 'message' }

/**
 * A slash and one word of small letters is a command. The name of a skill, words after a word that is no command, a path,
 * and other text that begins with a slash are a message. After an exclamation mark comes a command for the shell.
 */
export function readTyped(text: string, skills: readonly string[] = []): Typed {
  const command = commandOf(text)
  if (command !== undefined) return { type: 'shell', command }
  const [, word, rest = ''] = /^(\/[a-z]+)(?:\s+([\s\S]*))?$/.exec(text.trimEnd()) ?? []
  if (word === undefined) return { type: 'message' }
  const name = commands.find((each) => each === word)
  if (name) return { type: 'command', name, rest: rest.trim() }
  return rest === '' && !skills.includes(word.slice(1)) ? { type: 'unknown', word } : { type: 'message' }
}

const keys = [
  ['Enter', 'send'],
  ['Shift+Enter', 'new line (also Alt+Enter, or \\ at the end of a line)'],
  ['Tab', 'next: transcript, panel, composer'],
  ['Esc', 'stop, close, back'],
  ['Up, Down', 'scroll'],
  ['Ctrl+P, N', 'earlier messages'],
  ['Ctrl+L', 'clear the screen'],
  ['Ctrl+Z', 'suspend; fg returns'],
  ['Ctrl+C', 'quit'],
  ['@path', 'attach a file'],
  ['!command', 'run it in the workspace'],
] as const

const groups = [
  '/new /threads /open  /waiting',
  '/model /tools /memory /receipt',
  '/missions /skills /attach /login',
  '/queue /stop /help /quit',
] as const

/** The keys and the commands, wrapped to a width. */
export function helpLines(inside: number): string[] {
  const first = Math.max(...keys.map(([key]) => key.length))
  const room = Math.max(8, inside - first - 2)
  const lines = keys.flatMap(([key, does]) =>
    wrapTextWithAnsi(does, room).map((line, at) => `${(at === 0 ? key : '').padEnd(first)}  ${line}`),
  )
  return [...lines, '', ...groups]
}
