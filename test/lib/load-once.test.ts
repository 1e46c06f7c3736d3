// What is loaded with its first use.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadOnce } from '#lib/load-once.ts'

test('nothing is loaded before the first use, and once for all uses', async () => {
  let loads = 0
  const use = loadOnce(() => Promise.resolve(++loads))
  assert.equal(loads, 0)
  assert.deepEqual(await Promise.all([use(), use()]), [1, 1])
  assert.equal(await use(), 1)
})

test('a load that failed is tried again by the next use, not by those that waited for it', async () => {
  let loads = 0
  const use = loadOnce(() => (++loads === 1 ? Promise.reject(new Error('no file')) : Promise.resolve(loads)))
  const failed = [use(), use()]
  for (const each of failed) await assert.rejects(each, /no file/)
  assert.equal(await use(), 2)
  assert.equal(await use(), 2)
})

test('what was begun can be asked for without beginning it', async () => {
  let loads = 0
  const use = loadOnce(() => (++loads === 1 ? Promise.reject(new Error('no file')) : Promise.resolve(loads)))
  assert.equal(use.begun(), undefined)
  await assert.rejects(use(), /no file/)
  assert.equal(use.begun(), undefined, 'nothing is left of a failure')
  await use()
  assert.equal(await use.begun(), 2)
})
