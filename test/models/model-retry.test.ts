// When a model call is tried again, and how long it waits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTransient, maxAttempts, retryAfterMs, retryDelay } from '#models/model-retry.ts'

const transient = [408, 409, 429, 500, 502, 503, 504, 529, 599]
for (const status of [...transient, 300, 400, 401, 403, 404, 407, 410, 422, 428, 430, 499]) {
  const expected = transient.includes(status)
  test(`${status} ${expected ? 'may go away by itself' : 'stays'}`, () => assert.equal(isTransient(status), expected))
}

test('a call has four attempts', () => assert.equal(maxAttempts, 4))

const pauses: readonly [attempt: number, random: number, header: number | undefined, ms: number][] = [
  [1, 1, undefined, 500],
  [2, 1, undefined, 1_000],
  [3, 1, undefined, 2_000],
  [5, 1, undefined, 8_000],
  [6, 1, undefined, 8_000],
  [1, 0, undefined, 250],
  [3, 0.5, undefined, 1_500],
  [9, 0, undefined, 4_000],
  [1, 1, 0, 0],
  [4, 1, 700, 700],
  [1, 1, 30_000, 30_000],
  [1, 1, 30_001, 30_000],
]
for (const [attempt, random, header, ms] of pauses) {
  test(`after attempt ${attempt} with ${random} and Retry-After ${header} it waits ${ms} ms`, () => {
    assert.equal(retryDelay(attempt, random, header), ms)
  })
}

const now = Date.UTC(2026, 0, 1)
const headers: readonly [header: string | undefined, ms: number | undefined][] = [
  [undefined, undefined],
  ['', undefined],
  ['soon', undefined],
  ['-1x', undefined],
  ['0', 0],
  [' 7 ', 7_000],
  ['1.5', 1_500],
  ['Thu, 01 Jan 2026 00:00:09 GMT', 9_000],
  ['Wed, 31 Dec 2025 23:59:59 GMT', 0],
]
for (const [header, ms] of headers) {
  test(`Retry-After: ${header} is ${ms} ms`, () => assert.equal(retryAfterMs(header, now), ms))
}
