// `Sql` on PostgreSQL: a pool, one transaction per job. Statements whose rows are ignored or expected are sent with the next
// one. A job that loses a race (unique index, deadlock) is run again and then sees the winner's rows.
import { type ClientBase, Pool, type PoolConfig, type QueryConfig } from 'pg'
import { AppError } from '#core/errors.ts'
import { createOneAtATime } from '#lib/one-at-a-time.ts'
import { createFlights } from './flight.ts'
import { createPoolRoom } from './pool-room.ts'
import { type SilenceLimits, watchHost } from './silent-host.ts'
import { type Job, query, type Row, type Sql, type Statement } from './sql.ts'

/** The connections of running processes. A migration that excludes earlier processes cuts off those of this name. */
export const runningName = 'atrium'
const poolSize = 10
/** Timeout for a new connection, and for a job that waits for a free one. */
const defaultConnectMs = 5_000
/** A ping is skipped if the server has answered a job within this time. */
const freshMs = 500
const statementMs = 30_000
/**
 * How long a statement waits for a row that another transaction holds. It is less than jobs wait for a connection: ten jobs
 * that wait for one row would keep all others from the database.
 */
const lockMs = 3_000
/**
 * The server ends a transaction whose process is silent for this long: frozen, or lost with its machine. Its rows must be
 * free before its lease expires and others take its turns.
 */
const defaultIdleMs = 10_000
const maxAttempts = 6

const begin: Statement = { sql: 'BEGIN', values: [] }
const commit: Statement = { sql: 'COMMIT', values: [] }
const rollback: Statement = { sql: 'ROLLBACK', values: [] }
/** Error codes of lost races: serialization failure, deadlock, unique violation. */
const lostRaces: ReadonlySet<string | undefined> = new Set(['40001', '40P01', '23505'])
/** How a check of an expected row fails: by a division by zero. */
const failedCheck = '22012'

type PostgresParts = {
  readonly connectMs?: number
  readonly idleMs?: number
  readonly silence?: SilenceLimits
  /** Called with each new connection before its first job, which fails if this throws. */
  readonly onConnect?: (client: ClientBase) => Promise<void>
}

/** `unsent` are statements that go with the next one. `trusts`: the job goes on with the rows that it expects. */
type DriveParts = { readonly unsent: Statement[]; readonly trusts: boolean }

export function openPostgres(
  url: string,
  { connectMs = defaultConnectMs, idleMs = defaultIdleMs, silence, onConnect }: PostgresParts = {},
): Sql & { readonly pool: Pool } {
  // The package's types lack `pipeline` and `onConnect`.
  const options: PoolConfig & { pipeline: boolean; onConnect?: PostgresParts['onConnect'] } = {
    connectionString: withoutName(url),
    max: poolSize,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs + 5_000,
    keepAlive: true,
    pipeline: true,
    application_name: runningName,
    async onConnect(client) {
      await setLimits(client, { url, idleMs })
      await onConnect?.(client)
    },
  }
  const pool = new Pool(options)
  // The pool replaces a connection that breaks while idle; the next job shows whether the server is there.
  pool.on('error', () => {})
  // A connection that breaks during a job fails that job. Without this listener it would also end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const unwatch = watchHost(pool, silence)
  const connect = createPoolRoom(pool)
  const fly = createFlights()
  const oneAtATime = createOneAtATime()
  let answeredAt = -Infinity

  /** Runs a job. Statements whose rows it need not wait for go with the next one; those at its end stay in `unsent`. */
  async function drive<T>(client: ClientBase, job: Job<T>, { unsent, trusts }: DriveParts): Promise<T> {
    let step = job.next()
    while (!step.done) {
      const statement = step.value
      checkTexts(statement)
      if (trusts && statement.expected) {
        unsent.push(checkOf(statement, statement.expected))
        step = job.next([statement.expected])
      } else {
        unsent.push(statement)
        step = job.next(statement.rowsIgnored ? [] : await fly(client, unsent.splice(0)))
      }
    }
    return step.value
  }

  async function runTransaction<T>(job: Job<T>, trusts: boolean): Promise<T> {
    const client = await connect()
    const unsent = [begin]
    try {
      const result = await drive(client, job, { unsent, trusts })
      // Statements that go together are a transaction by themselves.
      await fly(client, unsent[0] === begin ? unsent.slice(1) : [...unsent, commit])
      client.release()
      answeredAt = performance.now()
      return result
    } catch (error) {
      if (!(error instanceof AppError || codeOf(error) === failedCheck)) client.release(true)
      else if (unsent[0] === begin) client.release()
      else {
        await fly(client, [rollback]).then(
          () => client.release(),
          () => client.release(true),
        )
      }
      throw error
    }
  }

  async function read<T>(job: () => Job<T>): Promise<T> {
    try {
      const client = await connect()
      try {
        const unsent: Statement[] = []
        const result = await drive(client, job(), { unsent, trusts: false })
        await fly(client, unsent)
        client.release()
        answeredAt = performance.now()
        return result
      } catch (error) {
        client.release(!(error instanceof AppError))
        throw error
      }
    } catch (error) {
      throw asAppError(error)
    }
  }

  return {
    backend: 'postgres',
    lock: ' FOR NO KEY UPDATE',
    pool,
    read,
    readLong: (user, job) => oneAtATime(user, () => read(job)),
    async write<T>(job: () => Job<T>) {
      let trusts = true
      for (let attempt = 1; ; attempt++) {
        try {
          return await runTransaction(job(), trusts)
        } catch (error) {
          const code = codeOf(error)
          if (trusts && code === failedCheck) trusts = false
          else if (attempt >= maxAttempts || !lostRaces.has(code)) throw asAppError(error)
        }
      }
    },
    async ping() {
      // A ping could fail because the pool is busy, although the database works.
      if (performance.now() - answeredAt > freshMs) await read(() => query('SELECT 1'))
    },
    async close() {
      await pool.end()
      unwatch()
    },
  }
}

/**
 * A statement is planned as the tests of plans see it, whatever its values are: for the beginning of a thread that has much
 * of a table, PostgreSQL would read all of the table.
 */
const planOnce = 'SET plan_cache_mode = force_generic_plan'
/** Whatever the operator has set: jobs lock what they are about to change, and few are run again. */
const isolation = `SET default_transaction_isolation = 'read committed'`

/**
 * Sets the time limits of a connection, but for those that its URL has, and how it works. Not at its start: a pooler such as
 * PgBouncer refuses parameters there.
 */
export async function setLimits(
  client: ClientBase,
  { url = '', idleMs = defaultIdleMs }: { readonly url?: string | undefined; readonly idleMs?: number } = {},
): Promise<void> {
  const limits = {
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleMs,
  }
  const given = URL.parse(url)?.searchParams
  const sets = Object.entries(limits).flatMap(([name, ms]) => (given?.has(name) ? [] : [`SET ${name} = ${ms}`]))
  // The package's types lack `query_timeout` of a single query.
  await client.query({
    text: [...sets, planOnce, isolation].join('; '),
    query_timeout: defaultConnectMs,
  } as QueryConfig)
}

/** Fails unless the statement has the expected row. */
function checkOf({ sql, values }: Statement, expected: Row): Statement {
  const equal = Object.keys(expected).map((column) => `${column} = ?`)
  return {
    sql: `SELECT 1 / count(*) FROM (${sql}) AS found WHERE ${equal.join(' AND ')}`,
    values: [...values, ...Object.values(expected)],
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code
}

/** The URL without a name for its connections, which would be used instead of ours. */
export function withoutName(url: string): string {
  const parsed = URL.parse(url)
  if (!parsed?.searchParams.has('application_name')) return url
  parsed.searchParams.delete('application_name')
  return parsed.href
}

/** Checked here: the server's refusal would cost the connection, and its error would not be one for the caller. */
function checkTexts({ values }: Statement): void {
  for (const value of values) {
    if (typeof value === 'string' && value.includes('\0'))
      throw new AppError('invalid_input', 'a text contains NUL (U+0000), which cannot be stored or searched for')
  }
}

/** Maps database errors that a user can act on to an AppError; others are returned unchanged. */
export function asAppError(error: unknown): unknown {
  if (error instanceof AppError) return error
  const { code, message = '' } = error as { code?: string; message?: string }
  if (code === '53100') {
    return new AppError('disk_full', "the database's disk is full: nothing was stored", { cause: error })
  }
  const reason = unavailableReasons.find(([pattern]) => pattern.test(`${code ?? ''} ${message}`))?.[1]
  if (reason === undefined) return error
  return new AppError('database_unavailable', `PostgreSQL is unavailable: ${reason}`, { cause: error })
}

/**
 * Why the server cannot be used, by a pattern for the error's code followed by its message. The original messages are not
 * shown: they name hosts, ports and users, and any caller may read the error.
 */
const unavailableReasons: readonly (readonly [RegExp, string])[] = [
  [/^28/, 'it refused the user or the password of DATABASE_URL'],
  [/^3D/, 'the database of DATABASE_URL does not exist'],
  [/^53300/, 'it has no room for another connection'],
  [/^53/, 'it is short of memory or room'],
  [/^42501/, 'its user lacks a right, such as to create tables'],
  [/^25006/, 'it takes no changes: it is a standby, or was made read-only'],
  [/^25P0[34]/, 'it ended a transaction that took too long'],
  [/^55P03/, 'another transaction holds what this one needs'],
  [/^57P/, 'it is starting or going down'],
  // A prepared statement of another connection, or one that is missing.
  [/^(42P05|26000)/, 'a pooler changes its connections between transactions, and Atrium needs session mode'],
  [/^(ENOTFOUND|EAI_)/, 'the host of DATABASE_URL is not known'],
  [/^ECONNREFUSED /, 'nothing listens at the address of DATABASE_URL'],
  [/^(ETIMEDOUT|EHOST|ENET)/, 'the host of DATABASE_URL cannot be reached'],
  [/^(08|ECONN|EPIPE)/, 'the connection broke'],
  [/^HOST_SILENT/, 'its host fell silent'],
  [/timeout/i, 'it did not answer in time'],
  [/^57014/, 'it cancelled a statement'],
  [/\bterminated|not queryable|Client has encountered|Cannot use a pool/i, 'the connection broke'],
]
