import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSemaphore, createSemaphores } from '#lib/semaphore.ts'

const never = new AbortController().signal

test('takers wait in order and get what was given back', async () => {
  const semaphore = createSemaphore(2)
  const first = await semaphore.take(never)
  const second = await semaphore.take(never)
  const order: string[] = []
  const third = semaphore.take(never).then(() => order.push('third'))
  const fourth = semaphore.take(never).then(() => order.push('fourth'))
  assert.equal(semaphore.waiting, 2)
  second()
  await third
  first()
  await fourth
  assert.deepEqual(order, ['third', 'fourth'])
  assert.equal(semaphore.taken, 2)
})

test('giving back twice frees one share', async () => {
  const semaphore = createSemaphore(1)
  const release = await semaphore.take(never)
  release()
  release()
  assert.equal(semaphore.taken, 0)
  assert.ok(semaphore.tryTake())
  assert.equal(semaphore.tryTake(), undefined)
})

test('nobody overtakes a large taker that waits', async () => {
  const semaphore = createSemaphore(3)
  const first = await semaphore.take(never, 2)
  const large = semaphore.take(never, 3)
  assert.equal(semaphore.tryTake(1), undefined)
  first()
  ;(await large)()
  assert.equal(semaphore.taken, 0)
})

test('a taker that leaves makes way for those behind it', async () => {
  const semaphore = createSemaphore(3)
  await semaphore.take(never, 2)
  const leaving = new AbortController()
  const large = semaphore.take(leaving.signal, 3)
  const small = semaphore.take(never, 1)
  leaving.abort(new Error('gone'))
  await assert.rejects(large, /gone/)
  await small
  assert.equal(semaphore.taken, 3)
  assert.equal(semaphore.waiting, 0)
})

test('a taker whose signal has ended takes nothing', async () => {
  const semaphore = createSemaphore(1)
  await assert.rejects(semaphore.take(AbortSignal.abort(new Error('late'))), /late/)
  assert.equal(semaphore.taken, 0)
})

test('each key has its own shares', async () => {
  const semaphores = createSemaphores<string>(1)
  await semaphores.take('ada', never)
  assert.equal(semaphores.tryTake('ada'), undefined)
  assert.ok(semaphores.tryTake('bob'))
  void semaphores.take('ada', never)
  assert.deepEqual([semaphores.waiting('ada'), semaphores.waiting('bob'), semaphores.waiting('eve')], [1, 0, 0])
})

test('whoever waits for several shares of a key gets all of them', async () => {
  const semaphores = createSemaphores<string>(2)
  const release = await semaphores.take('ada', never)
  const both = semaphores.take('ada', never, 2)
  assert.equal(semaphores.waiting('ada'), 1)
  release()
  await both
  assert.equal(semaphores.tryTake('ada'), undefined)
})

test('shares of a key stay counted while some are held or waited for', async () => {
  const semaphores = createSemaphores<string>(2)
  const [first] = [await semaphores.take('ada', never), await semaphores.take('ada', never)]
  first()
  assert.ok(semaphores.tryTake('ada'))
  assert.equal(semaphores.tryTake('ada'), undefined)
})

test('a taker that leaves takes no shares of others out of the count', async () => {
  const semaphores = createSemaphores<string>(1)
  const release = await semaphores.take('ada', never)
  await assert.rejects(semaphores.take('ada', AbortSignal.abort(new Error('late'))), /late/)
  assert.equal(semaphores.tryTake('ada'), undefined)
  release()
  assert.ok(semaphores.tryTake('ada'))
})

test('giving back twice takes nothing from those who took since', async () => {
  const semaphores = createSemaphores<string>(1)
  const release = await semaphores.take('ada', never)
  release()
  await semaphores.take('ada', never)
  release()
  assert.equal(semaphores.tryTake('ada'), undefined)
})
