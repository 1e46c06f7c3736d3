// Data of streams that nobody reads: all together have a bounded amount, and clients that keep up are not cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUnreadStreams } from '#http/unread-streams.ts'

/** Three streams, and the names of those that were cut. */
function threeStreams() {
  const cut: string[] = []
  const named = (name: string) => ({ destroy: () => cut.push(name) })
  return { a: named('a'), b: named('b'), c: named('c'), cut }
}

test('more unread data than allowed cuts the stream that has been behind for the longest time', () => {
  const unread = createUnreadStreams(100)
  const { a, b, c, cut } = threeStreams()
  for (const stream of [a, b, c]) unread.note('ada', stream, 30)
  assert.deepEqual(cut, [])
  unread.note('ada', c, 50)
  assert.deepEqual(cut, ['a'])
})

test('a client that has caught up is behind for the shortest time again', () => {
  const unread = createUnreadStreams(100)
  const { a, b, cut } = threeStreams()
  unread.note('ada', a, 60)
  unread.note('ada', b, 30)
  unread.note('ada', a, 0)
  unread.note('ada', a, 90)
  assert.deepEqual(cut, ['b'])
})

test('the stream that is cut is one of the user with the most unread data', () => {
  const unread = createUnreadStreams(100)
  const { a, b, c, cut } = threeStreams()
  unread.note('bob', a, 30)
  unread.note('ada', b, 60)
  unread.note('bob', c, 20)
  assert.deepEqual(cut, ['b'])
})

test('data of streams that were read, closed or cut counts no more', () => {
  const unread = createUnreadStreams(100)
  const { a, b, c, cut } = threeStreams()
  for (let at = 0; at < 10; at++) {
    unread.note('ada', a, 80)
    unread.note('ada', a, 0)
    unread.note('ada', a, 0)
  }
  unread.note('ada', b, 100)
  assert.deepEqual(cut, [])
  unread.note('ada', c, 90)
  unread.note('ada', c, 100)
  assert.deepEqual(cut, ['b'])
})
