// The small interface over both databases. A store method is a job: a generator that yields statements and gets rows.
// SQLite runs it synchronously inside a shared commit, PostgreSQL asynchronously inside a transaction.

export type Value = string | number | Uint8Array | null
export type Row = Readonly<Record<string, Value>>
export type Statement = {
  readonly sql: string
  readonly values: readonly Value[]
  /** The job ignores the rows: the next statement may be sent before this one is answered. */
  readonly rowsIgnored?: true
  /** Answered with one row: the number of rows that were changed. */
  readonly counted?: true
  /**
   * The only row, as the job expects it. On PostgreSQL the job goes on with it at once, and the server checks it before it runs
   * what follows. If the check fails, the job is run again with the rows that are there.
   */
  readonly expected?: Row | undefined
}

/** Must have no effects besides its statements: a job is run again if another job of its batch fails, if it lost a race or expected other rows. */
export type Job<T> = Generator<Statement, T, Row[]>

export interface Sql {
  readonly backend: 'sqlite' | 'postgres'
  /** Appended to a SELECT of a row that is about to be changed. It also keeps others from deleting the row. */
  readonly lock: '' | ' FOR NO KEY UPDATE'
  /** Runs a job that only reads. */
  read<T>(job: () => Job<T>): Promise<T>
  /**
   * Runs a job that only reads and may take long, such as a search; of one user, one after another. On SQLite it runs in a
   * thread and each statement sees what is stored by then; a database in memory has none, and blocks the event loop.
   */
  readLong<T>(user: string, job: () => Job<T>): Promise<T>
  /**
   * Runs a job in a transaction; resolves once it is durable. `bytes`: what it stores or deletes, where that may be much. On
   * SQLite a job of megabytes runs in a thread, and others wait for it without blocking the event loop.
   */
  write<T>(job: () => Job<T>, size?: { readonly bytes: number }): Promise<T>
  /** Throws database_unavailable while the database does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** For `write`: a job that may take long whatever it stores, such as one after which the index is merged. */
export const takesLong = { bytes: Infinity } as const

/** Runs one statement of a job. */
export function* query(sql: string, ...values: Value[]): Job<Row[]> {
  return yield { sql, values }
}

/** Runs one statement and ignores its rows. */
export function* run(sql: string, ...values: Value[]): Job<void> {
  yield { sql, values, rowsIgnored: true }
}

/**
 * Runs one statement and returns how many rows it has changed, without those that triggers changed. On SQLite a RETURNING
 * takes as long as two small statements.
 */
export function* changes(sql: string, ...values: Value[]): Job<number> {
  return Number((yield { sql, values, counted: true })[0]?.['changed'])
}

/** Runs one statement and returns its first row. */
export function* first(sql: string, ...values: Value[]): Job<Row | undefined> {
  return (yield { sql, values })[0]
}

/** The same for a row that is likely to be `row`. */
export function* expect(row: Row | undefined, sql: string, ...values: Value[]): Job<Row | undefined> {
  return (yield { sql, values, expected: row })[0]
}

/** `column ${inList[backend]}` holds if the column is one of the texts of a JSON list: one statement for any number of them. */
export const inList = {
  sqlite: 'IN (SELECT value FROM json_each(?))',
  postgres: '= ANY(ARRAY(SELECT json_array_elements_text(?::json)))',
} as const
