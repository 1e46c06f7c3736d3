// Waits that end, in time or with a signal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orAborted, withDeadline, within } from '#lib/deadline.ts'

const never = new Promise<never>(() => {})
const open = new AbortController().signal

test('work that ends in time is what comes of it', async () => {
  assert.equal(await within(60_000, Promise.resolve(1), () => 2), 1)
  await assert.rejects(
    within(60_000, Promise.reject(new Error('its own')), () => 2),
    /its own/,
  )
})

test('work that is late is what `late` says', async () => {
  assert.equal(await within(1, never, () => 2), 2)
  await assert.rejects(
    within(1, never, () => {
      throw new Error('too late')
    }),
    /too late/,
  )
})

test('the signal of work fires at its deadline, and with the given one', async () => {
  const fired = (signal: AbortSignal): Promise<string> =>
    new Promise((resolve) => {
      if (signal.aborted) resolve('at once')
      signal.addEventListener('abort', () => resolve('later'))
    })
  assert.equal(await withDeadline(1, open, fired), 'later')
  assert.equal(await withDeadline(60_000, AbortSignal.abort(), fired), 'at once')
})

test('work without a deadline of its own is left when the signal fires', async () => {
  assert.equal(await orAborted(Promise.resolve(1), open), 1)
  await assert.rejects(orAborted(never, AbortSignal.abort()), /aborted/)
  const stop = new AbortController()
  const left = assert.rejects(orAborted(never, stop.signal), /aborted/)
  stop.abort()
  await left
})
