// A quota that requests share: in order, each key for itself, and nothing is held for a connection that has gone.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createQuota } from '#http/quota.ts'

const answer = () => new EventEmitter() as unknown as ServerResponse
const minuteMs = 60_000

test('what fits is taken at once, each key has its own, and what is released is free again', async () => {
  const quota = createQuota(10, minuteMs)
  const one = await quota.take('a', 6, answer())
  const two = await quota.take('a', 4, answer())
  const other = await quota.take('b', 10, answer())
  assert.ok(one && two && other)
  const waiting = quota.take('a', 6, answer())
  two()
  assert.equal(await Promise.race([waiting, Promise.resolve('still waits')]), 'still waits')
  one()
  assert.equal(typeof (await waiting), 'function')
})

test('a wait ends with its connection, or with its time', async () => {
  const quota = createQuota(10, minuteMs)
  const held = await quota.take('a', 10, answer())
  const gone = answer()
  const waiting = quota.take('a', 1, gone)
  gone.emit('close')
  assert.equal(await waiting, undefined)
  held?.()
  const short = createQuota(10, 1)
  const first = await short.take('a', 10, answer())
  assert.equal(await short.take('a', 1, answer()), undefined)
  first?.()
  assert.equal(typeof (await short.take('a', 10, answer())), 'function')
})

test('an answer that got its part holds no listener', async () => {
  const quota = createQuota(10, minuteMs)
  const held = await quota.take('a', 10, answer())
  const later = answer()
  const waiting = quota.take('a', 1, later)
  assert.equal(later.listenerCount('close'), 1)
  held?.()
  await waiting
  assert.equal(later.listenerCount('close'), 0)
})
