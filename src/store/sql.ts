// The small port over both databases. A verb of the store is a job: a generator that yields statements and gets rows.
// SQLite drives it synchronously inside a shared commit, PostgreSQL awaits each statement inside a transaction.

export type Value = string | number | Uint8Array | null
export type Row = Readonly<Record<string, Value>>
export type Statement = {
  readonly sql: string
  readonly values: readonly Value[]
  /** The job does not look at the rows: what follows may be sent before this is answered. */
  readonly rowsIgnored?: true
}

/** Database work alone, without other effects: a job may be run twice, when another of its batch fails. */
export type Job<T> = Generator<Statement, T, Row[]>

export interface Sql {
  readonly backend: 'sqlite' | 'postgres'
  /** What a SELECT of a row ends with when the row is about to be changed. */
  readonly lock: '' | ' FOR UPDATE'
  /** Runs a job that only reads. */
  read<T>(job: () => Job<T>): Promise<T>
  /** Runs a job in a transaction; resolves once it is durable. */
  write<T>(job: () => Job<T>): Promise<T>
  /** Throws database_unavailable while the database does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** One statement of a job. */
export function* query(sql: string, ...values: Value[]): Job<Row[]> {
  return yield { sql, values }
}

/** One statement of a job whose rows nobody looks at. */
export function* run(sql: string, ...values: Value[]): Job<void> {
  yield { sql, values, rowsIgnored: true }
}

/** One statement of a job, its first row only. */
export function* first(sql: string, ...values: Value[]): Job<Row | undefined> {
  return (yield { sql, values })[0]
}
