// Remembers that the database cannot store anything, until a write that is made for the question succeeds.
import { AppError, type ErrorCode } from '#core/errors.ts'
import { run, type Sql } from './sql.ts'

const unstorable: ReadonlySet<ErrorCode> = new Set(['disk_full', 'home_unwritable', 'database_unavailable'])
/** About what a short message takes. A smaller text might still fit into a page that has room. */
const trialBytes = 16 * 1024
const trialKey = 'write check'

export type CheckedSql = {
  readonly sql: Sql
  /** Costs nothing while writes succeed. Throws disk_full, home_unwritable and database_unavailable. */
  readonly checkWrites: () => Promise<void>
}

export function watchWrites(inner: Sql): CheckedSql {
  let failed = false

  function write<T>(...given: Parameters<typeof inner.write<T>>): Promise<T> {
    const written = inner.write(...given)
    written.catch((error: unknown) => {
      failed ||= error instanceof AppError && unstorable.has(error.code)
    })
    return written
  }

  async function checkWrites(): Promise<void> {
    if (!failed) return
    const put = `INSERT INTO counters (key, uses, expires_at) VALUES (?, ?, 0)
      ON CONFLICT (key) DO UPDATE SET uses = excluded.uses`
    await inner.write(() => run(put, trialKey, 'x'.repeat(trialBytes)))
    failed = false
    await inner.write(() => run('DELETE FROM counters WHERE key = ?', trialKey))
  }

  return { sql: { ...inner, write }, checkWrites }
}
