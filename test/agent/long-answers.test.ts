// Long answers of models wait for room while others are in memory.
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { ask } from '#agent/ask.ts'
import { createLongAnswers, type LongAnswers } from '#agent/long-answers.ts'
import { userId } from '#core/ids.ts'
import type { Model } from '#core/model.ts'
import { ada, bob } from '../store/harness.ts'

const never = new AbortController().signal
const longBytes = 300_000

/** Resolves once all that can go on has done so. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** An answer that grows to a length; `isWaiting` while it may not. */
function grow(answers: LongAnswers, user: typeof ada, { bytes = longBytes, signal = never } = {}) {
  const room = answers.of(user)
  const own = { room, isWaiting: true, fault: undefined as unknown }
  void Promise.resolve(room.grow(bytes, signal)).then(
    () => (own.isWaiting = false),
    (error: unknown) => (own.fault = error),
  )
  return own
}

test('long answers wait while there are as many as may be, of their user or in all', async () => {
  const answers = createLongAnswers({ inAll: 3, ofUser: 2 })
  const all = [ada, ada, ada, bob, bob].map((user) => grow(answers, user))
  await settled()
  const waiting = () => all.map(({ isWaiting }) => isWaiting)
  assert.deepEqual(waiting(), [false, false, true, false, true])
  all[0]?.room.release()
  await settled()
  assert.deepEqual(waiting(), [false, false, false, false, true])
  all[3]?.room.release()
  await settled()
  assert.deepEqual(waiting(), [false, false, false, false, false])
})

test('without bounds of its own a service holds 8 long answers of a user and 32 in all', async () => {
  const answers = createLongAnswers()
  const users = ['a', 'b', 'c', 'd', 'e'].map(userId)
  const all = users.flatMap((user) => Array.from({ length: 9 }, () => grow(answers, user)))
  await settled()
  const held = users.map((_, at) => all.slice(at * 9, at * 9 + 9).filter(({ isWaiting }) => !isWaiting).length)
  assert.deepEqual(held, [8, 8, 8, 1, 1])
})

test('users with many long answers leave the last places to those who have none, in their turn', async () => {
  const answers = createLongAnswers({ inAll: 4, ofUser: 4 })
  const many = Array.from({ length: 4 }, () => grow(answers, ada))
  await settled()
  assert.deepEqual(
    many.map(({ isWaiting }) => isWaiting),
    [false, false, false, true],
  )
  const first = grow(answers, bob)
  const [second, carol] = [grow(answers, bob), grow(answers, userId('carol'))]
  await settled()
  assert.deepEqual([first.isWaiting, second.isWaiting, carol.isWaiting], [false, true, true])
  many[0]?.room.release()
  await settled()
  assert.deepEqual([many[3]?.isWaiting, second.isWaiting, carol.isWaiting], [true, true, false])
})

test('of users who wait for a place the one with the fewest is next, whoever came first', async () => {
  const answers = createLongAnswers({ inAll: 4, ofUser: 4 })
  const [held] = [grow(answers, bob), grow(answers, ada), grow(answers, ada)]
  const [many, few] = [grow(answers, ada), grow(answers, bob)]
  await settled()
  assert.deepEqual([many.isWaiting, few.isWaiting], [true, true])
  held?.room.release()
  await settled()
  assert.deepEqual([many.isWaiting, few.isWaiting], [true, false])
})

test('a user who has stored one of their long answers has the others still counted', async () => {
  const answers = createLongAnswers({ inAll: 10, ofUser: 2 })
  const [stored] = [grow(answers, ada), grow(answers, ada)]
  await settled()
  stored?.room.release()
  const next = [grow(answers, ada), grow(answers, ada)]
  await settled()
  assert.deepEqual(
    next.map(({ isWaiting }) => isWaiting),
    [false, true],
  )
})

test('the next long answer of a turn waits like any other', async () => {
  const answers = createLongAnswers({ inAll: 1, ofUser: 1 })
  const { room } = grow(answers, ada)
  await settled()
  room.release()
  grow(answers, ada)
  await settled()
  assert.notEqual(room.grow(longBytes, never), undefined)
})

test('short answers do not wait, and one that has its place grows on', async () => {
  const answers = createLongAnswers({ inAll: 1, ofUser: 1 })
  const long = grow(answers, ada)
  await settled()
  assert.equal(long.room.grow(longBytes * 10, never), undefined)
  const short = grow(answers, ada, { bytes: 100_000 })
  await settled()
  assert.equal(short.isWaiting, false)
})

test('an answer that is given up while it waits leaves its place to others', async () => {
  const answers = createLongAnswers({ inAll: 1, ofUser: 1 })
  const first = grow(answers, bob)
  const given = new AbortController()
  const up = grow(answers, ada, { signal: given.signal })
  const next = grow(answers, ada)
  await settled()
  given.abort(new Error('stopped'))
  await settled()
  assert.match(String(up.fault), /stopped/)
  first.room.release()
  await settled()
  assert.equal(next.isWaiting, false)
})

test('an answer that was given up before it waits is not kept waiting', async () => {
  const answers = createLongAnswers({ inAll: 1, ofUser: 1 })
  grow(answers, bob)
  const late = grow(answers, ada, { signal: AbortSignal.abort(new Error('stopped')) })
  await settled()
  assert.match(String(late.fault), /stopped/)
})

test('an answer that has got its place listens no longer for the end of its turn', async () => {
  const answers = createLongAnswers({ inAll: 1, ofUser: 1 })
  const first = grow(answers, bob)
  const { signal } = new AbortController()
  grow(answers, ada, { signal })
  await settled()
  assert.equal(getEventListeners(signal, 'abort').length, 1)
  first.room.release()
  await settled()
  assert.deepEqual(getEventListeners(signal, 'abort'), [])
})

test('the stream of a model is not read while its answer waits', async () => {
  let sent = 0
  const model: Model = {
    provider: 'test',
    name: 'test-1',
    window: 1_000,
    async *stream() {
      for (; sent < 4; sent++) yield await Promise.resolve([{ type: 'text' as const, text: 'ä'.repeat(100_000) }])
    },
  }
  const request = { system: '', items: [], tools: [] }
  const answers = createLongAnswers({ inAll: 1, ofUser: 1 })
  const first = grow(answers, ada)
  const room = answers.of(ada)
  const reply = ask({ model, request, turnId: 't', signal: never, emit: () => {}, room })
  await settled()
  assert.equal(sent, 1)
  first.room.release()
  await reply
  assert.equal(sent, 4)
})
