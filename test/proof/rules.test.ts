// Each rule holds for a good history, and names the breach in one with a fault.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Entry, textMessage } from '#core/item.ts'
import type { Event, History, Stored } from './history.ts'
import { judge } from './rules.ts'
import {
  acknowledged,
  allow,
  answered,
  approve,
  asked,
  attempt,
  beside,
  called,
  cost,
  effect,
  fault,
  interrupted,
  misuse,
  one,
  output,
  over,
  paid,
  pay,
  payment,
  prompted,
  read,
  refused,
  replied,
  returned,
  returning,
  said,
  stored,
  two,
  withEntries,
  wrote,
} from './sample-history.ts'

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
