// Slash commands: their names, how input is parsed, and the help text.
import { wrapTextWithAnsi } from '@earendil-works/pi-tui'
import type { SlashName } from '#core/slash-names.ts'

export const commands = [
  '/threads',
  '/new',
  '/open',
  '/model',
  '/tools',
  '/memory',
  '/missions',
  '/skills',
  '/receipt',
  '/attach',
  '/waiting',
  '/queue',
  '/stop',
  '/help',
  '/quit',
] as const satisfies readonly `/${SlashName}`[]
export type CommandName = (typeof commands)[number]

export type Typed =
  | { readonly type: 'command'; readonly name: CommandName; readonly rest: string }
  | { readonly type: 'unknown'; readonly word: string }
  | { readonly type: 'message' }

/**
 * A slash and one word of small letters is a command. The name of a skill, words behind a word that is no command, a path,
 * and other text that begins with a slash are a message.
 */
export function readTyped(text: string, skills: readonly string[] = []): Typed {
  const [, word, rest = ''] = /^(\/[a-z]+)(?:\s+([\s\S]*))?$/.exec(text.trimEnd()) ?? []
  if (word === undefined) return { type: 'message' }
  const name = commands.find((each) => each === word)
  if (name) return { type: 'command', name, rest: rest.trim() }
  return rest === '' && !skills.includes(word.slice(1)) ? { type: 'unknown', word } : { type: 'message' }
}

const maxCompletions = 8

/** The commands and skills that a slash and the letters behind it may become. */
export function completionsOf(text: string, skills: readonly string[]): readonly string[] {
  if (!/^\/[a-z0-9-]*$/.test(text)) return []
  const all = [...commands, ...skills.map((name) => `/${name}`)]
  return all.filter((each) => each !== text && each.startsWith(text)).slice(0, maxCompletions)
}

const keys = [
  ['Enter', 'send'],
  ['Shift+Enter', 'new line (also Alt+Enter, or \\ at the end of a line)'],
  ['Tab', 'next: transcript, panel, composer'],
  ['Esc', 'stop, close, back'],
  ['Up, Down', 'history, scroll'],
  ['Ctrl+P, N', 'earlier messages'],
  ['Ctrl+L', 'clear the screen'],
  ['Ctrl+C', 'quit'],
] as const

const groups = [
  '/new /threads /open  /waiting',
  '/model /tools /memory /receipt',
  '/missions /skills /attach',
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
