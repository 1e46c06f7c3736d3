// The parts of a receipt in words: what a call did, what went to a host, what was kept apart. Pure.
import type { Receipt } from '#doors/web/wire/receipt.ts'

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

/** Who was told something: the hosts of the tools, then those of the models. */
export function hostsIn({ hosts, model_calls }: Pick<Receipt, 'hosts' | 'model_calls'>): string[] {
  return [...new Set([...hosts, ...model_calls.flatMap(({ host }) => host ?? [])])]
}

/** The names of all that went out with requests. */
export function secretsIn({ secrets, model_calls }: Pick<Receipt, 'secrets' | 'model_calls'>): string[] {
  return [...new Set([...secrets, ...model_calls.flatMap(({ secret }) => secret ?? [])])]
}

type Requests = {
  readonly tools: readonly Pick<Tool, 'sent'>[]
  readonly model_calls: readonly Pick<Receipt['model_calls'][number], 'model' | 'host'>[]
}

/** The requests that went to a host: `1 GET`, `2 GET, 1 POST`. A call of a model is a POST. */
export function requestWords(host: string, { tools, model_calls }: Requests): string {
  const times = new Map<string, number>()
  const asked = model_calls.map((call) => ({ host: call.host, method: 'POST', times: 1 }))
  for (const each of [...tools.flatMap(({ sent }) => sent), ...asked]) {
    if (each.host === host) times.set(each.method, (times.get(each.method) ?? 0) + each.times)
  }
  return [...times].map(([method, count]) => `${count} ${method}`).join(', ')
}

/** That what came from outside was given to the model as data; undefined where nothing did. */
export function fencedWords(tools: readonly Pick<Tool, 'name' | 'origin'>[]): string | undefined {
  const brought = tools.filter(({ origin }) => origin !== undefined)
  const names = brought.map(({ name }) => name)
  if (names.length === 0) return undefined
  if (brought.every(({ origin = '' }) => /^https?:\/\//.test(origin))) {
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
