// The cache of histories: a hit is worth as much as a cold read, and it is bounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createHistories } from '#agent/history.ts'
import type { History } from '#agent/history-prompt.ts'
import type { Item } from '#core/item.ts'
import { textMessage } from '#core/item.ts'
import { createLog, turnIn } from './history-log.ts'
import { call } from './tools.ts'
import { fence } from '../safety/test-fence.ts'

const user = textMessage('user', 'go')
const prose = textMessage('assistant', 'well')
const viewOf = ({ seq, items, prompt }: History) => ({ seq, items, prompt })

test('a thread that goes on here is not read again, and its arrays grow in place', async () => {
  const log = createLog()
  const histories = createHistories({ threads: log.threads, fence })
  const turn = turnIn('a')
  const first = await histories.open({ turn, entries: log.append('a', user) })
  await histories.extend(turn, first, log.append('a', prose))
  const second = await histories.open({ turn, entries: log.append('a', user) })
  assert.equal(log.reads, 0)
  assert.equal(second.prompt, first.prompt, 'so that a model may remember what it made of it')
  assert.deepEqual(second.items, [user, prose, user])
})

const reads: readonly [what: string, between: Item[], entries: boolean, expected: number][] = [
  ['nobody else wrote', [], true, 0],
  ['somebody else wrote', [prose, user], true, 1],
  ['the turn goes on without a new item', [], false, 1],
]
for (const [what, between, withEntries, expected] of reads) {
  test(`a turn that starts when ${what} reads the thread ${expected} times and sees it all`, async () => {
    const log = createLog()
    const histories = createHistories({ threads: log.threads, fence })
    const turn = turnIn('a')
    await histories.open({ turn, entries: log.append('a', user, prose) })
    log.append('a', ...between)
    const entries = withEntries ? log.append('a', user) : []
    const history = await histories.open({ turn, entries })
    assert.equal(log.reads, expected)
    assert.deepEqual(history.items, (await log.threads.history(turn)).items)
  })
}

test('what somebody wrote while the turn ran is read before the turn goes on', async () => {
  const log = createLog()
  const histories = createHistories({ threads: log.threads, fence })
  const turn = turnIn('a')
  const history = await histories.open({ turn, entries: log.append('a', user) })
  const { prompt } = history
  log.append('a', call('c', 'read'))
  await histories.extend(turn, history, log.append('a', { type: 'result', callId: 'c', output: 'x' }))
  assert.deepEqual(history.items, (await log.threads.history(turn)).items)
  assert.equal(history.prompt, prompt)
  assert.equal(history.prompt.length, 3)
  await histories.extend(turn, history, log.append('a', prose))
  assert.equal(log.reads, 2, 'the first read, and the look of this test')
})

test('the cache keeps within its bytes, the longest unused goes first', async () => {
  const log = createLog()
  const histories = createHistories({ threads: log.threads, fence, maxBytes: 50_000 })
  const long = textMessage('user', 'x'.repeat(5_000))
  for (const id of ['a', 'b', 'c']) await histories.open({ turn: turnIn(id), entries: log.append(id, long) })
  const readsFor = async (id: string) => {
    const before = log.reads
    await histories.open({ turn: turnIn(id), entries: log.append(id, user) })
    return log.reads - before
  }
  assert.deepEqual([await readsFor('a'), await readsFor('b'), await readsFor('c')], [0, 0, 0], 'three fit')
  await histories.open({ turn: turnIn('d'), entries: log.append('d', long) })
  assert.equal(await readsFor('b'), 0, 'the younger ones stay')
  assert.equal(await readsFor('a'), 1, 'the oldest went')
})

test('whatever a thread is made of counts, thoughts and gates too', async () => {
  const big = 'x'.repeat(20_000)
  const items: Item[] = [
    textMessage('user', big),
    { type: 'reasoning', text: big },
    { type: 'reasoning', text: '', seal: big },
    call('c', 'read', { big }),
    { type: 'gate', callId: 'c', kind: 'output', name: 'read', args: big, prompt: '' },
    { type: 'answer', callId: 'c', decision: 'output', output: big, by: 'ada' },
    { type: 'result', callId: 'c', output: big },
    { type: 'summary', text: big, upTo: 1 },
  ]
  for (const item of items) {
    const log = createLog()
    const histories = createHistories({ threads: log.threads, fence, maxBytes: 50_000 })
    await histories.open({ turn: turnIn('a'), entries: log.append('a', item) })
    await histories.open({ turn: turnIn('b'), entries: log.append('b', user) })
    await histories.open({ turn: turnIn('a'), entries: log.append('a', user) })
    assert.equal(log.reads, 1, `a thread with a big ${item.type} is not kept`)
  }
})

test('the cache keeps so many threads at most, however short', async () => {
  const log = createLog()
  const histories = createHistories({ threads: log.threads, fence, maxThreads: 2 })
  const open = (id: string) => histories.open({ turn: turnIn(id), entries: log.append(id, user) })
  for (const id of ['a', 'b', 'a', 'c', 'a']) await open(id)
  assert.equal(log.reads, 0, 'two stay')
  await open('b')
  assert.equal(log.reads, 1, 'the longest unused went')
})

test('many small items count as well', async () => {
  const items: Item[] = [
    user,
    { type: 'reasoning', text: '' },
    call('c', 'read'),
    { type: 'attempt', callId: 'c' },
    { type: 'result', callId: 'c', output: '' },
    { type: 'summary', text: '', upTo: 0 },
  ]
  for (const item of items) {
    const log = createLog()
    const histories = createHistories({ threads: log.threads, fence, maxBytes: 50_000 })
    const many = Array.from({ length: 300 }, () => item)
    await histories.open({ turn: turnIn('a'), entries: log.append('a', ...many) })
    await histories.open({ turn: turnIn('b'), entries: log.append('b', user) })
    await histories.open({ turn: turnIn('a'), entries: log.append('a', user) })
    assert.equal(log.reads, 1, `a thread of 300 times ${item.type} is not kept`)
  }
})

for (const [what, chars, reads] of [
  ['longer than the bound is not read again while no other one is used', 30_000, 0],
  ['far longer than the bound is never kept', 90_000, 2],
] as const) {
  test(`a thread ${what}`, async () => {
    const log = createLog()
    const histories = createHistories({ threads: log.threads, fence, maxBytes: 50_000 })
    await histories.open({ turn: turnIn('a'), entries: log.append('a', textMessage('user', 'x'.repeat(chars))) })
    for (let at = 0; at < 2; at++) await histories.open({ turn: turnIn('a'), entries: log.append('a', user) })
    assert.equal(log.reads, reads)
  })
}

test('a thread that grew beyond the bytes while it ran is let go when the next one comes', async () => {
  const log = createLog()
  const histories = createHistories({ threads: log.threads, fence, maxBytes: 50_000 })
  const history = await histories.open({ turn: turnIn('a'), entries: log.append('a', user) })
  await histories.extend(turnIn('a'), history, log.append('a', textMessage('assistant', 'x'.repeat(50_000))))
  await histories.open({ turn: turnIn('b'), entries: log.append('b', user) })
  await histories.open({ turn: turnIn('a'), entries: log.append('a', user) })
  assert.equal(log.reads, 1)
})

/** One response: some calls, then results in any order. */
const round = fc.uniqueArray(fc.nat(99), { minLength: 1, maxLength: 4 }).chain((ids) =>
  fc.record({
    ids: fc.constant(ids),
    order: fc.shuffledSubarray(ids, { minLength: ids.length }),
    ways: fc.array(fc.constantFrom('result', 'output', 'outside'), { minLength: ids.length, maxLength: ids.length }),
  }),
)

test('a hit gives the same log and prompt as a cold read, in whatever order results came', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(round, { maxLength: 4 }), async (rounds) => {
      const log = createLog()
      const histories = createHistories({ threads: log.threads, fence })
      const turn = turnIn('a')
      const warm = await histories.open({ turn, entries: log.append('a', user) })
      for (const { ids, order, ways } of rounds) {
        const callIds = order.map((id) => `c${id}`)
        await histories.extend(turn, warm, log.append('a', prose, ...ids.map((id) => call(`c${id}`, 'read'))))
        for (const [at, callId] of callIds.entries()) {
          const way = ways[at]
          const item: Item =
            way === 'output'
              ? { type: 'answer', callId, decision: 'output', output: `out ${callId}`, by: 'ada' }
              : { type: 'result', callId, output: `ran ${callId}`, ...(way === 'outside' && { origin: 'web' }) }
          await histories.extend(turn, warm, log.append('a', { type: 'attempt', callId }, item))
        }
        const last = warm.prompt.slice(-ids.length)
        assert.deepEqual(
          last.map((item) => item.type === 'result' && item.callId),
          ids.map((id) => `c${id}`),
        )
      }
      const cold = await createHistories({ threads: log.threads, fence }).open({ turn, entries: [] })
      assert.deepEqual(viewOf(warm), viewOf(cold))
      assert.equal(warm.bytes, cold.bytes)
    }),
  )
})
