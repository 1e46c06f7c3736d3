// What fits into a quota, and how texts count.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOfRows, checkQuota } from '#store/storage-quota.ts'

const quotas: readonly (readonly [stored: number, added: number, max: number, fits: boolean])[] = [
  [99, 1, 100, true],
  [100, 1, 100, false],
  [0, 101, 100, false],
  [500, 0, 100, true],
  [500, -1, 100, true],
  [500, 500, 0, true],
]
for (const [stored, added, max, fits] of quotas) {
  test(`beside ${stored} bytes, ${added} more ${fits ? 'fit' : 'do not fit'} into a quota of ${max}`, () => {
    const check = (): void => checkQuota({ stored, added, max })
    if (fits) check()
    else assert.throws(check, { code: 'storage_full' })
  })
}

test('a text counts by its bytes, and its row by 500', () => {
  assert.equal(bytesOfRows([]), 0)
  assert.equal(bytesOfRows(['ab', 'ü', '']), 2 + 2 + 3 * 500)
})
