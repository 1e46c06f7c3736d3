// Long answers that nobody reads: of each user, and in all, a bounded number is kept.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { ServerResponse } from 'node:http'
import { createUnreadAnswers } from '#http/unread-answers.ts'
import { operatorToken } from '../doors/web/house.ts'
import { bareGateway } from './bare-gateway.ts'

const newAnswer = () => new PassThrough() as unknown as PassThrough & ServerResponse

test('one long answer too many of a user cuts the oldest of theirs', () => {
  const unread = createUnreadAnswers({ ofUser: 2, inAll: 10 })
  const [a, b, c, other] = [newAnswer(), newAnswer(), newAnswer(), newAnswer()]
  unread.add('bob', other)
  for (const answer of [a, b, c]) unread.add('ada', answer)
  assert.deepEqual(
    [a, b, c, other].map(({ destroyed }) => destroyed),
    [true, false, false, false],
  )
})

test('each one too many cuts another one, also before the connection of the first has ended', () => {
  const unread = createUnreadAnswers({ ofUser: 1, inAll: 10 })
  const answers = [newAnswer(), newAnswer(), newAnswer()]
  for (const answer of answers) unread.add('ada', answer)
  assert.deepEqual(
    answers.map(({ destroyed }) => destroyed),
    [true, true, false],
  )
})

test('one too many in all cuts the oldest of the user who has the most', () => {
  const unread = createUnreadAnswers({ ofUser: 5, inAll: 3 })
  const [old, a, b, newest] = [newAnswer(), newAnswer(), newAnswer(), newAnswer()]
  unread.add('bob', old)
  for (const answer of [a, b]) unread.add('ada', answer)
  unread.add('eve', newest)
  assert.deepEqual(
    [old, a, b, newest].map(({ destroyed }) => destroyed),
    [false, true, false, false],
  )
})

const ends: readonly [how: string, end: (answer: PassThrough, count: () => void) => Promise<unknown>][] = [
  [
    'was sent',
    (answer, count) => {
      count()
      answer.end()
      return once(answer, 'finish')
    },
  ],
  [
    'lost its connection',
    (answer, count) => {
      count()
      answer.destroy()
      return once(answer, 'close')
    },
  ],
  [
    'had lost its connection before',
    async (answer, count) => {
      answer.destroy()
      await once(answer, 'close')
      count()
    },
  ],
]
for (const [how, end] of ends) {
  test(`an answer that ${how} does not count`, async () => {
    const unread = createUnreadAnswers({ ofUser: 2, inAll: 2 })
    const [open, over, next] = [newAnswer(), newAnswer(), newAnswer()]
    unread.add('bob', open)
    await end(over, () => unread.add('ada', over))
    unread.add('eve', next)
    assert.deepEqual([open.destroyed, next.destroyed], [false, false])
  })
}

test('without bounds of its own a service keeps 16 long answers of a user and 64 in all', () => {
  const unread = createUnreadAnswers()
  const users = ['a', 'b', 'c', 'd', 'e']
  const answers = users.map((user) => {
    const own = Array.from({ length: 17 }, newAnswer)
    for (const answer of own) unread.add(user, answer)
    return own
  })
  const kept = answers.map((own) => own.filter(({ destroyed }) => !destroyed).length)
  assert.ok(kept.every((count) => count <= 16))
  assert.equal(
    kept.reduce((sum, count) => sum + count, 0),
    64,
  )
})

test('an answer counts no more once its long part was read, as often as it has one', () => {
  const unread = createUnreadAnswers({ ofUser: 1, inAll: 10 })
  const [stream, next] = [newAnswer(), newAnswer()]
  const listeners = () => ['finish', 'close'].map((event) => stream.listenerCount(event))
  const before = listeners()
  for (let part = 0; part < 20; part++) unread.add('ada', stream)()
  assert.deepEqual(listeners(), before)
  unread.add('ada', next)
  assert.equal(stream.destroyed, false)
})

test('the late end of an answer that was cut takes none of the newer ones out of the count', () => {
  const unread = createUnreadAnswers({ ofUser: 1, inAll: 10 })
  const [cut, read, kept, last] = [newAnswer(), newAnswer(), newAnswer(), newAnswer()]
  unread.add('ada', cut)
  unread.add('ada', read)()
  unread.add('ada', kept)
  cut.emit('close')
  unread.add('ada', last)
  assert.equal(kept.destroyed, true)
})

test('a long answer to a message is written in slices too', async (t) => {
  const answer = { text: 'a'.repeat(1_000_000) }
  const handle = () => Promise.resolve(answer)
  const gateway = await bareGateway()
  t.after(() => gateway.close(0))
  gateway.mount({
    routes: [{ method: 'POST', path: '/api/say', who: 'user', startsTurn: true, counted: true, summary: '', handle }],
  })
  const { url } = await gateway.listen('127.0.0.1', 0)
  const headers = { authorization: `Bearer ${operatorToken}` }
  const reply = await fetch(`${url}/api/say`, { method: 'POST', headers })
  assert.equal(reply.headers.get('transfer-encoding'), 'chunked')
  assert.deepEqual(await reply.json(), answer)
})
