// Rows of rate limits are removed once their window is over, and looked for once in a window.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSqlLimits } from '#store/sql-limits.ts'
import { openMemorySqlite } from './memory-store.ts'

test('keys whose window is over are removed, at most once in a window', async (t) => {
  const sql = openMemorySqlite()
  t.after(() => sql.close())
  const limits = createSqlLimits({ sql })
  const keys = (): string =>
    sql.db
      .prepare('SELECT key FROM counters ORDER BY key')
      .all()
      .map(({ key }) => String(key))
      .join('')
  const take = async (key: string, now: number): Promise<string> => {
    assert.deepEqual(await limits.take(key, 1, 1_000, now), { allowed: true, retryAfterMs: 0 })
    return keys()
  }
  assert.equal(await take('a', 10_000), 'a')
  assert.equal(await take('b', 10_500), 'ab')
  assert.equal(await take('c', 11_000), 'abc', 'it was looked a window ago, and not longer')
  assert.equal(await take('d', 11_001), 'bcd')
  assert.equal(await take('e', 11_600), 'bcde', 'it was looked a moment ago')
  assert.equal(await take('f', 12_002), 'ef', 'those of c and d are over, too')
  assert.equal(await take('g', 90_000), 'g', 'the clock is set forward')
  assert.equal(await take('h', 13_000), 'gh')
  assert.equal(await take('i', 15_000), 'gi', 'and back')
})
