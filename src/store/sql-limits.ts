// Rate limits in the database, shared by all processes: one row per key with its last uses.
import type { LimitStore } from '#core/store.ts'
import { type Use, usesWithin } from './memory-limits.ts'
import { first, run, type Sql } from './sql.ts'

export function createSqlLimits({ sql }: { sql: Sql }): LimitStore {
  let sweptAt = 0
  return {
    take: (key, limit, windowMs, now) =>
      sql.write(function* () {
        // Also after a clock that was ahead was set back.
        if (Math.abs(now - sweptAt) > windowMs) {
          sweptAt = now
          yield* run('DELETE FROM counters WHERE expires_at < ?', now)
        }
        // The row must exist to be locked: of two concurrent first uses, one waits for the other.
        const fresh = `INSERT INTO counters (key, uses, expires_at) VALUES (?, '[]', ?) ON CONFLICT (key) DO NOTHING`
        yield* run(fresh, key, now + windowMs)
        const row = yield* first(`SELECT uses FROM counters WHERE key = ?${sql.lock}`, key)
        const before = JSON.parse(String(row?.['uses'] ?? '[]')) as Use[]
        const { uses, ...verdict } = usesWithin(before, { limit, windowMs, now })
        const update = 'UPDATE counters SET uses = ?, expires_at = ? WHERE key = ?'
        yield* run(update, JSON.stringify(uses), now + windowMs, key)
        return verdict
      }),
  }
}
