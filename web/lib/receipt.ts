// Parts of a receipt in words: effects, hosts, requests, safety notes. Pure.
import { listWords } from '#core/words.ts'
import type { Receipt } from '#doors/web/wire/receipt.ts'

type Tool = Receipt['tools'][number]

const effectNames: Readonly<Record<NonNullable<Tool['effects']>, string>> = {
  read: 'reads',
  keep: 'writes',
  write: 'writes',
  danger: 'danger',
}

/** The effect of a call; empty for old calls, which did not record it. */
export function effectWords(effects: Tool['effects']): string {
  return effects === undefined ? '' : effectNames[effects]
}

/** All hosts contacted: those of the tools, then those of the models. */
export function hostsIn({ hosts, model_calls }: Pick<Receipt, 'hosts' | 'model_calls'>): string[] {
  return [...new Set([...hosts, ...model_calls.flatMap(({ host }) => host ?? [])])]
}

/** The names of all secrets sent with requests. */
export function secretsIn({ secrets, model_calls }: Pick<Receipt, 'secrets' | 'model_calls'>): string[] {
  return [...new Set([...secrets, ...model_calls.flatMap(({ secret }) => secret ?? [])])]
}

type Requests = {
  readonly tools: readonly Pick<Tool, 'sent'>[]
  readonly model_calls: readonly Pick<Receipt['model_calls'][number], 'model' | 'host' | 'attempts'>[]
}

/** The requests sent to a host: `1 GET`, `2 GET, 1 POST`. A model call is a POST, a failed one may be several. */
export function requestWords(host: string, { tools, model_calls }: Requests): string {
  const times = new Map<string, number>()
  const modelRequests = model_calls.map(({ host: to, attempts = 1 }) => ({ host: to, method: 'POST', times: attempts }))
  for (const each of [...tools.flatMap(({ sent }) => sent), ...modelRequests]) {
    if (each.host === host) times.set(each.method, (times.get(each.method) ?? 0) + each.times)
  }
  return [...times].map(([method, count]) => `${count} ${method}`).join(', ')
}

/** Says that content from outside reached the model as data; undefined where there was none. */
export function fencedWords(tools: readonly Pick<Tool, 'name' | 'origin'>[]): string | undefined {
  const fromOutside = tools.filter(({ origin }) => origin !== undefined)
  const names = fromOutside.map(({ name }) => name)
  if (names.length === 0) return undefined
  if (fromOutside.every(({ origin = '' }) => /^https?:\/\//.test(origin))) {
    return `The ${names.length === 1 ? 'page fetched was' : 'pages fetched were'} fenced as outside content.`
  }
  return `What ${listWords([...new Set(names)], 'and')} brought was fenced as outside content.`
}

/** Where a safety rule matched; a call is named by its tool. */
export function noteWords(
  { rule, where }: Receipt['notes'][number],
  tools: readonly Pick<Tool, 'call_id' | 'name'>[],
): string {
  const name = tools.find(({ call_id }) => call_id === where)?.name
  if (rule.startsWith('leak-')) return `kept from going out${name === undefined ? '' : ` by ${name}`}`
  return `in ${name === undefined ? where : `what ${name} brought`}`
}
