// Parts of small histories, for the tests of the rules: what was said, asked and stored.
import { digestOf } from '#core/digest.ts'
import { type Entry, type Item, textMessage } from '#core/item.ts'
import { noUsage } from '#core/turn.ts'
import type { Event, Stored, StoredTurn } from './history.ts'
import { argsOf, hostileTool, ways } from './hostile-calls.ts'

export const said = (op: number, task = 'say', user = 'u1'): Item =>
  textMessage('user', `op ${op} of mark-${user}-end: ${task}`)
export const replied = (op: number): Item => textMessage('assistant', `reply to op ${op} of mark-u1-end: done`)
export const pay: Item = { type: 'call', callId: 'c1', name: 'http_request', args: '{}' }
export const attempt: Item = { type: 'attempt', callId: 'c1' }
export const allow: Item = { type: 'answer', callId: 'c1', decision: 'allow', by: 'u1' }
export const paid: Item = { type: 'result', callId: 'c1', output: 'paid' }
export const refused: Item = {
  type: 'result',
  callId: 'c1',
  output: 'the user did not allow http_request',
  error: true,
}
export const interrupted: Item = { ...refused, output: 'interrupted: it may or may not have taken effect' }

type Log = readonly (readonly [turnId: string, item: Item])[]

/** A database of threads, `thread` -> its items; each turn has a reply, unless something else is said of it. */
export function stored(
  logs: Readonly<Record<string, Log>>,
  turns: Readonly<Record<string, Partial<StoredTurn>>> = {},
): Stored {
  const threads = Object.entries(logs).map(([id, log]) => ({
    id,
    userId: 'u1',
    lastSeq: log.length,
    entries: log.map(([turnId, item], at): Entry => ({ seq: at + 1, id: `${id}${at}`, turnId, at: 1, item })),
  }))
  const own = threads.flatMap(({ id, entries }) =>
    [...Map.groupBy(entries, ({ turnId }) => turnId)].map(([turnId, of]): StoredTurn => {
      const rest = { userId: 'u1', status: 'completed', costUsd: 0, reservedUsd: null, hash: digestOf(of) } as const
      return { turnId, threadId: id, ...rest, ...turns[turnId] }
    }),
  )
  return { threads, turns: own, spent: new Map([['u1', 0]]) }
}

export const asked = (op: number, more: object = {}): Event => ({
  type: 'asked',
  op,
  user: 'u1',
  door: 'chat',
  task: 'say',
  ...more,
})
export const acknowledged = (op: number, turnId: string, threadId = 'a'): Event => ({
  type: 'acknowledged',
  op,
  turnId,
  threadId,
})
export const answered = (op: number, turnId: string, text = `reply to op ${op} of mark-u1-end: done`): Event => ({
  type: 'answered',
  op,
  turnId,
  text,
})
export const prompted = (op: number): Event => ({ type: 'prompted', op, step: 0, marks: ['mark-u1-end'] })
export const wrote = (op: number): Event => ({ type: 'wrote', user: 'u1', path: 'a', op })
export const read = (op: number): Event => ({ type: 'read', user: 'u1', path: 'a', op })
export const fault: Event = { type: 'fault', name: 'kill -9' }
export const over: Event = { type: 'fault-over', name: 'kill -9' }
export const effect: Event = { type: 'effect', op: 1 }
export const approve: Event = { type: 'decided', callId: 'c1', op: 1, action: 'approve' }

export const one = {
  a: [
    ['t1', said(1)],
    ['t1', replied(1)],
  ],
} satisfies Record<string, Log>
export const two = { a: [...one.a, ['t2', said(2)], ['t2', replied(2)]] } satisfies Record<string, Log>
export const payment = (...items: readonly Item[]): Record<string, Log> => ({
  a: [said(1, 'pay'), ...items, replied(1)].map((item) => ['t1', item] as const),
})
export const returning: Event = { type: 'returning', callId: 'f1', output: '= out' }
export const returned = { type: 'returned', op: 1, callId: 'f1', turnId: 't2', threadId: 'a' } as const
export const output: Item = { type: 'answer', callId: 'f1', decision: 'output', output: '= out', by: 'u1' }
/** A turn that ends with a call of the caller's function, and one that begins with its output. */
export const called = (...outputs: readonly Item[]) =>
  ({
    a: [
      ['t1', said(1, 'ask')],
      ['t1', { type: 'call', callId: 'f1', name: 'mine', args: '{}' }],
      ['t1', { type: 'gate', callId: 'f1', kind: 'output', name: 'mine', args: '{}', prompt: '' }],
      ...outputs.map((item) => ['t2', item] as const),
      ['t2', textMessage('assistant', 'reply to op 1 of mark-u1-end: done word0')],
    ],
  }) satisfies Record<string, Log>
/** A call of the sandboxed tool that floods, and its result. */
export const misuse = (how: { error?: true }): Record<string, Log> => ({
  a: [
    said(1, 'rowdy'),
    {
      type: 'call',
      callId: 'c1',
      name: hostileTool,
      args: JSON.stringify(argsOf(ways.indexOf('flood'), 'h')),
    } as const,
    { type: 'result', callId: 'c1', output: 'x', ...how } as const,
    replied(1),
  ].map((item) => ['t1', item] as const),
})
export const cost = (costUsd: number, entry: Entry): Entry => ({
  ...entry,
  asked: { model: 'm', usage: { ...noUsage, costUsd }, ms: 1 },
})

/** What a change of the entries also breaks, beside the rule in question. */
const alsoBroken = new WeakMap<Stored, readonly string[]>()

export function beside(database: Stored): readonly string[] {
  return alsoBroken.get(database) ?? []
}

export function withEntries(
  database: Stored,
  change: (entries: readonly Entry[]) => readonly Entry[],
  also: readonly string[],
): Stored {
  const changed = {
    ...database,
    threads: database.threads.map((thread) => ({ ...thread, entries: change(thread.entries) })),
  }
  alsoBroken.set(changed, also)
  return changed
}
