// A bounded queue read as batches.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQueue } from '#lib/queue.ts'

test('a reader takes all that came since it last looked as one batch', async () => {
  const queue = createQueue<number>(10)
  queue.push([1])
  queue.push([2, 3])
  const reader = queue[Symbol.asyncIterator]()
  assert.deepEqual(await reader.next(), { done: false, value: [1, 2, 3] })
  const waiting = reader.next()
  queue.push([4])
  queue.push([5])
  assert.deepEqual(await waiting, { done: false, value: [4, 5] })
})

test('an empty push wakes nobody for nothing', async () => {
  const queue = createQueue<number>(10)
  const waiting = queue[Symbol.asyncIterator]().next()
  assert.equal(queue.push([]), true)
  queue.push([1])
  assert.deepEqual(await waiting, { done: false, value: [1] })
})

test('what was pushed before the close is still read, nothing after it', async () => {
  const queue = createQueue<number>(10)
  queue.push([1])
  queue.close()
  assert.equal(queue.push([2]), false)
  assert.deepEqual(await Array.fromAsync(queue), [[1]])
  assert.deepEqual(await Array.fromAsync(queue), [], 'and a second reading ends at once')
})

test('a batch larger than the limit reaches a reader that has read everything before it', async () => {
  const queue = createQueue<number>(3)
  const burst = Array.from({ length: 300_000 }, (_, at) => at)
  assert.equal(queue.push(burst), true)
  const { value } = await queue[Symbol.asyncIterator]().next()
  assert.equal(value.length, burst.length)
})

test('a close ends a reader that waits', async () => {
  const queue = createQueue<number>(10)
  const all = Array.fromAsync(queue)
  await Promise.resolve()
  queue.close()
  assert.deepEqual(await all, [])
})

test('the owner hears of the end once, however it comes', async () => {
  let closed = 0
  const broken = createQueue<number>(1, () => closed++)
  broken.push([1])
  for await (const _ of broken) break
  broken.close()
  broken.close()
  assert.equal(closed, 1)
  const full = createQueue<number>(1, () => closed++)
  full.push([1, 2])
  full.push([3])
  full.close()
  assert.equal(closed, 2)
})

test('a reader that falls behind is cut off with an error, and what it had not read is let go', async () => {
  const queue = createQueue<number>(3)
  assert.equal(queue.push([1, 2, 3]), true)
  assert.equal(queue.push([4]), false)
  await assert.rejects(queue[Symbol.asyncIterator]().next(), /fell 3 events behind/)
  assert.equal(queue.push([5]), false)
})

test('a reader that keeps up never overruns', async () => {
  const queue = createQueue<number>(2)
  const read: number[] = []
  const all = (async () => {
    for await (const batch of queue) read.push(...batch)
  })()
  for (let at = 0; at < 100; at++) {
    assert.equal(queue.push([at]), true)
    await new Promise(setImmediate)
  }
  queue.close()
  await all
  assert.equal(read.length, 100)
})
