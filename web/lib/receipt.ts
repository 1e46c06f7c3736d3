// The parts of a receipt in words: what a call did, what went to a host, what was kept apart. Pure.
import type { Receipt } from '../api/wire.ts'

type Tool = Receipt['tools'][number]

const did: Readonly<Record<NonNullable<Tool['effects']>, string>> = {
  read: 'reads',
  keep: 'writes',
  write: 'writes',
  danger: 'danger',
}

/** What a call did; nothing of one from before that was kept. */
export function didWords(effects: Tool['effects']): string {
  return effects === undefined ? '' : did[effects]
}

/** The requests that went to a host: `1 GET`, `2 GET, 1 POST`. */
export function requestWords(host: string, tools: readonly Pick<Tool, 'sent'>[]): string {
  const times = new Map<string, number>()
  for (const each of tools.flatMap(({ sent }) => sent)) {
    if (each.host === host) times.set(each.method, (times.get(each.method) ?? 0) + each.times)
  }
  return [...times].map(([method, count]) => `${count} ${method}`).join(', ')
}

/** That what came from outside was given to the model as data; undefined where nothing did. */
export function fencedWords(tools: readonly Pick<Tool, 'name' | 'origin'>[]): string | undefined {
  const names = tools.flatMap(({ name, origin }) => (origin === undefined ? [] : [name]))
  if (names.length === 0) return undefined
  if (names.every((name) => name === 'web_fetch')) {
    return `The ${names.length === 1 ? 'page fetched was' : 'pages fetched were'} fenced as outside content.`
  }
  return `What ${listed([...new Set(names)])} brought was fenced as outside content.`
}

/** Where a rule was met: a call is told by its tool. */
export function noteWords(
  { rule, where }: Receipt['notes'][number],
  tools: readonly Pick<Tool, 'call_id' | 'name'>[],
): string {
  const name = tools.find(({ call_id }) => call_id === where)?.name
  if (rule.startsWith('leak-')) return `kept from going out${name === undefined ? '' : ` by ${name}`}`
  return `in ${name === undefined ? where : `what ${name} brought`}`
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
