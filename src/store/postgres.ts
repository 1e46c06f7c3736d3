// `Sql` on PostgreSQL: a pool, one transaction per job. Statements whose rows are ignored are sent without waiting. A job
// that loses a race (unique index, deadlock) is run again and then sees the winner's rows.
import { type ClientBase, Pool, type PoolConfig, type QueryConfig, type QueryResult } from 'pg'
import type { Writable } from 'node:stream'
import { AppError } from '#core/errors.ts'
import { type Job, query, type Row, type Sql, type Statement } from './sql.ts'

const poolSize = 10
/** Timeout for a new connection, and for a job that waits for a free one. */
const connectMs = 5_000
/** A ping is skipped if the server has answered a job within this time. */
const freshMs = 500
const statementMs = 30_000
const maxAttempts = 6

/** The error code of a statement that follows a failed one. */
const abortedTransaction = '25P02'
/** Error codes of lost races: serialization failure, deadlock, unique violation. */
const lostRaces: ReadonlySet<string | undefined> = new Set(['40001', '40P01', '23505'])

export function openPostgres(url: string): Sql & { readonly pool: Pool } {
  // The package's types lack `pipeline`.
  const options: PoolConfig & { pipeline: boolean } = {
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: statementMs + 5_000,
    keepAlive: true,
    pipeline: true,
    application_name: 'atrium',
  }
  const pool = new Pool(options)
  // The pool replaces a connection that breaks while idle; the next job shows whether the server is there.
  pool.on('error', () => {})
  // A connection that breaks during a job fails that job. Without this listener it would also end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const texts = new Map<string, QueryConfig>()
  let answeredAt = 0

  function send(client: ClientBase, { sql, values }: Statement): Promise<QueryResult<Row>> {
    // Checked here: the server's refusal would cost the connection, and its error would not be one for the caller.
    if (values.some((value) => typeof value === 'string' && value.includes('\0')))
      throw new AppError('invalid_input', 'a text contains NUL (U+0000), which cannot be stored or searched for')
    let known = texts.get(sql)
    if (!known) {
      known = { name: `s${texts.size}`, text: numberParameters(sql) }
      texts.set(sql, known)
    }
    return client.query<Row>({ ...known, values: [...values] })
  }

  async function drive<T>(client: ClientBase, job: Job<T>, unawaited: Promise<unknown>[]): Promise<T> {
    let step = job.next()
    while (!step.done) {
      const answer = send(client, step.value)
      if (step.value.rowsIgnored) {
        answer.catch(() => {})
        unawaited.push(answer)
        step = job.next([])
      } else {
        const { rows } = await answer
        corkForTick(client)
        step = job.next(rows)
      }
    }
    return step.value
  }

  async function runTransaction<T>(job: Job<T>): Promise<T> {
    const client = await pool.connect()
    const unawaited: Promise<unknown>[] = []
    try {
      corkForTick(client)
      const begun = client.query('BEGIN')
      begun.catch(() => {})
      unawaited.push(begun)
      const result = await drive(client, job, unawaited)
      const [end] = await Promise.all([client.query('COMMIT'), ...unawaited])
      // The COMMIT of a failed transaction rolls it back without an error.
      if (end.command !== 'COMMIT') throw new Error(`the transaction ended with ${end.command}`)
      client.release()
      answeredAt = Date.now()
      return result
    } catch (error) {
      if (error instanceof AppError) {
        await client.query('ROLLBACK').then(
          () => client.release(),
          () => client.release(true),
        )
      } else {
        // Closes the connection, with statements in flight and half-prepared ones.
        client.release(true)
      }
      // This error only says that an earlier statement failed: throw the error of that one.
      if ((error as { code?: string }).code === abortedTransaction) await Promise.all(unawaited)
      throw error
    }
  }

  async function read<T>(job: () => Job<T>): Promise<T> {
    try {
      const client = await pool.connect()
      try {
        const result = await drive(client, job(), [])
        client.release()
        answeredAt = Date.now()
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
    async write<T>(job: () => Job<T>) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await runTransaction(job())
        } catch (error) {
          if (attempt >= maxAttempts || !lostRaces.has((error as { code?: string }).code)) throw asAppError(error)
        }
      }
    },
    async ping() {
      // A ping could fail because the pool is busy, although the database works.
      if (Date.now() - answeredAt > freshMs) await read(() => query('SELECT 1'))
    },
    close: () => pool.end(),
  }
}

/** Sends the statements of one tick in one write; the package would make a write for each. */
function corkForTick(client: ClientBase): void {
  const { stream } = (client as ClientBase & { connection: { stream: Writable } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** Replaces each `?` by `$1`, `$2`, … No statement of the store has a question mark inside a literal. */
function numberParameters(sql: string): string {
  let at = 0
  return sql.replaceAll('?', () => `$${++at}`)
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
  [/^53/, 'it has no room for another connection'],
  [/^57P/, 'it is starting or going down'],
  [/^(ENOTFOUND|EAI_)/, 'the host of DATABASE_URL is not known'],
  [/^ECONNREFUSED /, 'nothing listens at the address of DATABASE_URL'],
  [/^(ETIMEDOUT|EHOST|ENET)/, 'the host of DATABASE_URL cannot be reached'],
  [/^(08|ECONN|EPIPE)/, 'the connection broke'],
  [/timeout/i, 'it did not answer in time'],
  [/terminated|not queryable|Client has encountered|Cannot use a pool/i, 'the connection broke'],
]
