// Each rule holds for a good history, and names the breach in one with a fault.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digestOf } from '#core/digest.ts'
import { type Entry, type Item, textMessage } from '#core/item.ts'
import { noUsage } from '#core/turn.ts'
import type { Event, History, Stored, StoredTurn } from './history.ts'
import { argsOf, hostileTool, ways } from './hostile-calls.ts'
import { judge } from './rules.ts'

const said = (op: number, task = 'say', user = 'u1'): Item =>
  textMessage('user', `op ${op} of mark-${user}-end: ${task}`)
const replied = (op: number): Item => textMessage('assistant', `reply to op ${op} of mark-u1-end: done`)
const pay: Item = { type: 'call', callId: 'c1', name: 'http_request', args: '{}' }
const attempt: Item = { type: 'attempt', callId: 'c1' }
const allow: Item = { type: 'answer', callId: 'c1', decision: 'allow', by: 'u1' }
const paid: Item = { type: 'result', callId: 'c1', output: 'paid' }
const refused: Item = { type: 'result', callId: 'c1', output: 'the user did not allow http_request', error: true }
const interrupted: Item = { ...refused, output: 'interrupted: it may or may not have taken effect' }

type Log = readonly (readonly [turnId: string, item: Item])[]

/** A database of threads, `thread` -> its items; each turn has a reply, unless something else is said of it. */
function stored(
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

const asked = (op: number, more: object = {}): Event => ({
  type: 'asked',
  op,
  user: 'u1',
  door: 'chat',
  task: 'say',
  ...more,
})
const acknowledged = (op: number, turnId: string, threadId = 'a'): Event => ({
  type: 'acknowledged',
  op,
  turnId,
  threadId,
})
const answered = (op: number, turnId: string, text = `reply to op ${op} of mark-u1-end: done`): Event => ({
  type: 'answered',
  op,
  turnId,
  text,
})
const prompted = (op: number, step = 0): Event => ({ type: 'prompted', op, step, marks: ['mark-u1-end'] })
const wrote = (op: number): Event => ({ type: 'wrote', user: 'u1', path: 'a', op })
const read = (op: number): Event => ({ type: 'read', user: 'u1', path: 'a', op })
const fault: Event = { type: 'fault', name: 'kill -9' }
const over: Event = { type: 'fault-over', name: 'kill -9' }
const effect: Event = { type: 'effect', op: 1 }
const approve: Event = { type: 'decided', callId: 'c1', op: 1, action: 'approve' }

const one = {
  a: [
    ['t1', said(1)],
    ['t1', replied(1)],
  ],
} satisfies Record<string, Log>
const two = { a: [...one.a, ['t2', said(2)], ['t2', replied(2)]] } satisfies Record<string, Log>
const payment = (...items: readonly Item[]): Record<string, Log> => ({
  a: [said(1, 'pay'), ...items, replied(1)].map((item) => ['t1', item] as const),
})
const returning: Event = { type: 'returning', callId: 'f1', output: '= out' }
const returned = { type: 'returned', op: 1, callId: 'f1', turnId: 't2', threadId: 'a' } as const
const output: Item = { type: 'answer', callId: 'f1', decision: 'output', output: '= out', by: 'u1' }
/** A turn that ends with a call of the caller's function, and one that begins with its output. */
const called = (...outputs: readonly Item[]) =>
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
const misuse = (how: { error?: true }): Record<string, Log> => ({
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
const cost = (costUsd: number, entry: Entry): Entry => ({
  ...entry,
  asked: { model: 'm', usage: { ...noUsage, costUsd }, ms: 1 },
})

/** What a change of the entries also breaks, beside the rule in question. */
const alsoBroken = new WeakMap<Stored, readonly string[]>()

/** A history, and the rules that it breaks. */
const cases: readonly (readonly [name: string, broken: readonly string[], events: readonly Event[], stored: Stored])[] =
  [
    ['a message with its reply', [], [asked(1), prompted(1), acknowledged(1, 't1'), answered(1, 't1')], stored(one)],
    ['an acknowledged message that is gone', ['acknowledged'], [asked(1), acknowledged(1, 't9')], stored({})],
    [
      'one that went with its thread',
      [],
      [acknowledged(1, 't9'), { type: 'deleting', threadId: 'a', userId: 'u1' }],
      stored({}),
    ],
    ['one in another thread', ['acknowledged'], [acknowledged(1, 't1', 'b')], stored(one)],
    [
      'one without its text',
      ['acknowledged', 'one reply'],
      [acknowledged(2, 't1')],
      stored({ a: [['t1', replied(2)]] }),
    ],
    [
      'a message that is two turns',
      ['one reply'],
      [],
      stored({
        ...one,
        b: [
          ['t2', said(1)],
          ['t2', replied(1)],
        ],
      }),
    ],
    [
      'a key with two turns',
      ['one reply'],
      [acknowledged(1, 't1'), acknowledged(1, 't2')],
      stored({ ...two, a: [...one.a, ['t2', said(1)], ['t2', replied(1)]] }),
    ],
    ['a turn with two replies', ['one reply'], [], stored({ a: [...one.a, ['t1', replied(1)]] })],
    [
      'the reply to another message',
      ['one reply'],
      [],
      stored({
        a: [
          ['t1', said(1)],
          ['t1', replied(2)],
        ],
      }),
    ],
    ['no reply', ['one reply'], [], stored({ a: [['t1', said(1)]] })],
    ['a turn that runs for ever', ['one reply'], [], stored(one, { t1: { status: 'running' } })],
    ['a turn that is left queued', ['one reply'], [], stored(one, { t1: { status: 'queued' } })],
    ['a turn that failed for no reason', ['one reply'], [asked(1)], stored(one, { t1: { status: 'failed' } })],
    ['a turn that failed with its model', [], [asked(1, { task: 'break' })], stored(one, { t1: { status: 'failed' } })],
    ['a turn that was stopped for no reason', ['one reply'], [asked(1)], stored(one, { t1: { status: 'cancelled' } })],
    ['a turn whose reader left', [], [{ type: 'left', op: 1 }], stored(one, { t1: { status: 'cancelled' } })],
    ['a reply that reads differently', ['one reply'], [answered(1, 't1', 'other')], stored(one)],
    ['two messages in order', [], [asked(1), acknowledged(1, 't1'), asked(2, { threadId: 'a' })], stored(two)],
    [
      'two messages out of order',
      ['order'],
      [asked(2), acknowledged(2, 't2'), asked(1, { threadId: 'a' })],
      stored(two),
    ],
    ['a message in another thread than it was sent to', ['order'], [asked(1, { threadId: 'b' })], stored(one)],
    [
      'a conversation in two threads',
      ['order'],
      [asked(1, { conversation: 'c' }), asked(2, { conversation: 'c' })],
      stored({
        ...one,
        b: [
          ['t2', said(2)],
          ['t2', replied(2)],
        ],
      }),
    ],
    [
      'turns that mix',
      ['order'],
      [],
      stored({
        a: [
          ['t1', said(1)],
          ['t2', said(2)],
          ['t1', replied(1)],
          ['t2', replied(2)],
        ],
      }),
    ],
    [
      'a gap in a thread',
      ['gapless'],
      [],
      withEntries(stored(two), (entries) => entries.filter(({ seq }) => seq !== 2), ['one reply', 'receipts']),
    ],
    [
      'a gap in a read',
      ['gapless'],
      [{ type: 'followed', user: 'u1', threadId: 'a', after: 2, seqs: [3, 5] }],
      stored(one),
    ],
    [
      'an item that came twice',
      ['gapless'],
      [{ type: 'followed', user: 'u1', threadId: 'a', after: 0, seqs: [1, 1] }],
      stored(one),
    ],
    [
      'a step after its reply was read',
      ['no repeat'],
      [prompted(1), answered(1, 't1'), fault, over, prompted(1)],
      stored(one),
    ],
    ['a step twice', ['no repeat'], [prompted(1), prompted(1)], stored(one)],
    ['a step twice, before a fault', ['no repeat'], [prompted(1), prompted(1), fault, over], stored(one)],
    ['a step twice, after a fault', ['no repeat'], [fault, over, prompted(1), prompted(1)], stored(one)],
    ['a step again after a fault', [], [prompted(1), fault, over, prompted(1)], stored(one)],
    ['a step again during a fault', [], [fault, prompted(1), prompted(1), over], stored(one)],
    ['a second result of a call', ['no repeat'], [approve, effect], stored(payment(pay, allow, attempt, paid, paid))],
    ['an allowed payment', [], [approve, effect], stored(payment(pay, allow, attempt, paid))],
    [
      'a payment that is made twice',
      ['at most once'],
      [approve, effect, effect],
      stored(payment(pay, allow, attempt, paid)),
    ],
    ['a payment that is only told', ['at most once'], [approve], stored(payment(pay, allow, attempt, paid))],
    [
      'a payment that is told as denied',
      ['at most once'],
      [approve, effect],
      stored(payment(pay, allow, attempt, refused)),
    ],
    ['a payment that is unknown', [], [approve, effect], stored(payment(pay, allow, attempt, interrupted))],
    ['a payment before it is allowed', ['approval'], [effect, approve], stored(payment(pay, allow, attempt, paid))],
    [
      'a payment without an answer in the log',
      ['approval'],
      [approve, effect],
      stored(payment(pay, attempt, allow, paid)),
    ],
    [
      'an answer with a thing of another',
      ['privacy'],
      [{ type: 'shown', user: 'u1', marks: ['mark-u2-end'], where: '/' }],
      stored({}),
    ],
    [
      'a prompt with things of two',
      ['privacy'],
      [{ ...prompted(1), marks: ['mark-u1-end', 'mark-u2-end'] } as Event],
      stored({}),
    ],
    ['a thread of two', ['privacy'], [], stored({ a: [...one.a, ['t2', said(2, 'say', 'u2')], ['t2', replied(2)]] })],
    ['a secret in a prompt', ['secrets'], [{ type: 'leaked', where: 'the prompt of op 1' }], stored({})],
    ['a sandboxed tool that reached a forbidden address', ['sandbox'], [{ type: 'escaped', op: 1 }], stored({})],
    ['a sandboxed tool whose flood is an error', [], [], stored(misuse({ error: true }))],
    ['a sandboxed tool whose flood is an answer', ['sandbox'], [], stored(misuse({}))],
    [
      'a model that a fault cut off',
      [],
      [asked(1), { type: 'broken', op: 1 }],
      stored(one, { t1: { status: 'failed' } }),
    ],
    ["a caller's function with its output", [], [returning, returned], stored(called(output))],
    ['an output that nobody sent', ['functions'], [], stored(called(output))],
    [
      'an output that is taken twice',
      ['one reply', 'no repeat', 'functions'],
      [returning, returned],
      stored(called(output, output)),
    ],
    ['an acknowledged output that is gone', ['functions'], [returning, { ...returned, turnId: 't9' }], stored(one)],
    [
      'an output that the model never saw',
      ['functions'],
      [returning],
      stored({ a: [...called(output).a.slice(0, -1), ['t2', textMessage('assistant', 'reply to op 1 : refused ')]] }),
    ],
    ['money that stays held', ['money'], [], stored(one, { t1: { reservedUsd: 1 } })],
    [
      'a turn that cost less than its calls',
      ['money'],
      [],
      withEntries(stored(one), ([first, ...rest]) => [cost(1, first as Entry), ...rest], ['receipts']),
    ],
    ['spending that no turn has', ['money'], [], { ...stored(one), spent: new Map([['u1', 1]]) }],
    [
      'spending of a deleted thread',
      [],
      [{ type: 'deleting', threadId: 'b', userId: 'u1' }],
      { ...stored(one), spent: new Map([['u1', 1]]) },
    ],
    [
      'turns that nobody spent for',
      ['money'],
      [{ type: 'deleting', threadId: 'b', userId: 'u1' }],
      stored(one, { t1: { costUsd: 1 } }),
    ],
    ['a log that was changed', ['receipts'], [], stored(one, { t1: { hash: 'other' } })],
    ['an ended turn without a digest', ['receipts'], [], stored(one, { t1: { hash: null } })],
    [
      'a stream that was cut',
      [],
      [{ type: 'streamed', op: 1, turnId: 't1', text: 'reply to', whole: false }],
      stored(one),
    ],
    [
      'a stream that told something else',
      ['streams'],
      [{ type: 'streamed', op: 1, turnId: 't1', text: 'reply at', whole: false }],
      stored(one),
    ],
    [
      'a stream that ended too early',
      ['streams'],
      [{ type: 'streamed', op: 1, turnId: 't1', text: 'reply to', whole: true }],
      stored(one),
    ],
    ['a deleted thread that is there', ['acknowledged'], [{ type: 'deleted', threadId: 'a' }], stored(one)],
    ['a document as it was written', [], [wrote(1), wrote(2), read(2)], stored({})],
    ['a document as it was before', ['documents'], [wrote(1), wrote(2), read(1)], stored({})],
    ['a document that is gone', ['documents'], [wrote(1), read(-1)], stored({})],
    ['an internal error', ['documented'], [{ type: 'strange', where: '/', status: 500, text: '' }], stored({})],
  ]

test('a step twice is a takeover where processes have leases, but not after its reply was read', () => {
  const broken = (...events: Event[]): boolean =>
    judge({ events, stored: stored(one), leases: true }).some(({ breaches }) => breaches.length > 0)
  assert.equal(broken(prompted(1), prompted(1)), false)
  assert.equal(broken(prompted(1), answered(1, 't1'), prompted(1)), true)
})

for (const [name, broken, events, database] of cases) {
  test(`${name} ${broken.length === 0 ? 'keeps every promise' : `breaks: ${broken.join(', ')}`}`, () => {
    const history: History = { events, stored: database }
    const found = judge(history).filter(({ breaches }) => breaches.length > 0)
    const names = found.map(({ rule }) => rule.name)
    assert.deepEqual(
      names.filter((each) => !beside(database).includes(each)),
      broken,
    )
  })
}

function beside(database: Stored): readonly string[] {
  return alsoBroken.get(database) ?? []
}

function withEntries(
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
