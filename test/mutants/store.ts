// Faults of what is stored, read and found again.
import type { Mutant } from './mutant.ts'

const suite = ['test/store/store.test.ts']

export const mutants: readonly Mutant[] = [
  {
    says: 'version 1 of the schema is edited',
    file: 'src/store/migrations.ts',
    from: '`CREATE INDEX tokens_by_user ON tokens (user_id)`',
    to: '`CREATE INDEX tokens_by_user ON tokens (user_id, hash)`',
    tests: ['test/store/migrations.test.ts'],
  },
  {
    says: 'a database from the future is opened',
    file: 'src/store/migrations.ts',
    from: '  if (found <= steps.length) return\n',
    to: '  if (found >= 0) return\n',
    tests: ['test/store/migrate-sqlite.test.ts'],
  },
  {
    says: 'a turn is released under an epoch that is over',
    file: 'src/store/turns.ts',
    from: "           WHERE id = ? AND owner = ? AND epoch = ? AND status = 'running'`,\n          turn.id,",
    to: "           WHERE id = ? AND owner = ? AND epoch >= 0 * ? AND status = 'running'`,\n          turn.id,",
    tests: suite,
  },
  {
    says: 'a process that leaves stays on the list',
    file: 'src/store/leases.ts',
    from: "yield* run('DELETE FROM processes WHERE owner = ?', owner)",
    to: "yield* run('DELETE FROM processes WHERE owner = ? AND epoch < 0', owner)",
    tests: ['test/store/leases.test.ts'],
  },
  {
    says: 'keys of limits are kept for ever',
    file: 'src/store/limits.ts',
    from: "      if (known.size > maxKeys) known.delete(known.keys().next().value ?? '')\n",
    to: '',
    tests: ['test/store/limits.test.ts'],
  },
  {
    says: 'a list reads what was asked',
    file: 'src/store/lists.ts',
    from: '`SELECT ${listColumns}, (SELECT',
    to: '`SELECT ${listColumns}, options AS error, (SELECT',
    tests: suite,
  },
  {
    says: 'a cut reply does not say so',
    file: 'src/store/lists.ts',
    from: "return { text: text.slice(0, listedChars).replace(/[\\uD800-\\uDBFF]$/, ''), cut: true }",
    to: 'return { text: text.slice(0, listedChars), cut: more }',
    tests: suite,
  },
  {
    says: 'a stretch of a thread has no bound in bytes',
    file: 'src/store/stretch.ts',
    from: '    if (count > 0 && bytes > maxBytes) break\n',
    to: '',
    tests: suite,
  },
  {
    says: "anybody's items are found by their ids",
    file: 'src/store/stretch.ts',
    from: 'WHERE threads.id = items.thread_id AND ${isReached})`,',
    to: 'WHERE threads.id = items.thread_id OR ${isReached})`,',
    tests: suite,
  },
  {
    says: 'an idempotency key outlives its response',
    file: 'src/store/turns.ts',
    from: 'SET removed_at = ?, idempotency_key = NULL WHERE',
    to: 'SET removed_at = ? WHERE',
    tests: suite,
  },
  {
    says: 'the claim looks through every turn ever stored',
    file: 'src/store/start.ts',
    from: "GROUP BY user_id || '', user_id) busy",
    to: 'GROUP BY user_id) busy',
    tests: suite,
  },
  {
    says: 'erasing a thread looks through all turns',
    file: 'src/store/erase.ts',
    from: "  yield* run('DELETE FROM turns WHERE thread_id = ?', threadId)\n  yield* run('DELETE FROM items",
    to: "  yield* run(`DELETE FROM turns WHERE thread_id || '' = ?`, threadId)\n  yield* run('DELETE FROM items",
    tests: suite,
  },
  {
    says: 'a fault of PostgreSQL tells its address',
    file: 'src/store/postgres.ts',
    from: '`PostgreSQL is unavailable: ${words}`',
    to: '`PostgreSQL is unavailable: ${words} (${message})`',
    tests: ['test/store/away.test.ts'],
  },
  {
    says: 'the items of before are lost when their table is made anew',
    file: 'src/store/migrations.ts',
    from: 'SELECT thread_id, seq, id, turn_id, at, body, asked FROM items`',
    to: 'SELECT thread_id, seq, id, turn_id, at, body, asked FROM items WHERE FALSE`',
    tests: suite,
  },
]
