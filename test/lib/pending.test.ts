// Writes under way, and those who wait for them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPending } from '#lib/pending.ts'

test('a reader waits for the writes of its key that are under way, also for one that fails', async () => {
  const pending = createPending()
  const [one, other, apart] = [1, 2, 3].map(() => Promise.withResolvers<void>()) as [
    PromiseWithResolvers<void>,
    PromiseWithResolvers<void>,
    PromiseWithResolvers<void>,
  ]
  const tracked = [pending.track('ann', one.promise), pending.track('ann', other.promise)] as const
  void pending.track('bob', apart.promise)
  const seen: string[] = []
  const read = pending.ended('ann').then(() => seen.push('read'))
  await pending.ended('eve')
  seen.push('eve')
  one.resolve()
  await tracked[0]
  seen.push('one')
  other.reject(new Error('full'))
  await assert.rejects(tracked[1], /full/)
  await read
  assert.deepEqual(seen, ['eve', 'one', 'read'])
  await pending.ended('ann')
})

test('a reader waits for each write of its key, whichever ends first and whenever it asks', async () => {
  const pending = createPending()
  const [slow, quick] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  void pending.track('ann', slow.promise)
  const tracked = pending.track('ann', quick.promise)
  const seen: string[] = []
  const early = pending.ended('ann').then(() => seen.push('early'))
  quick.resolve()
  await tracked
  const late = pending.ended('ann').then(() => seen.push('late'))
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(seen, [])
  slow.resolve()
  await Promise.all([early, late])
})
