// PostgreSQL behind the port: a pool, one transaction per job, statements sent without waiting where their rows are not
// looked at. A job that loses a race (unique index, deadlock) is run again: it then sees what won.
import { type ClientBase, Pool, type PoolConfig, type QueryConfig, type QueryResult } from 'pg'
import type { Writable } from 'node:stream'
import { AppError } from '#core/errors.ts'
import { type Job, query, type Row, type Sql, type Statement } from './sql.ts'

const poolSize = 10
/** How long a connection may take to come about, and a job to wait for a free one. */
const connectMs = 5_000
/** A server that has answered a job this lately need not be asked whether it is there. */
const freshMs = 500
const statementMs = 30_000
const maxTries = 6

/** A statement after one that failed. */
const abortedTransaction = '25P02'
/** Lost races: serialization, deadlock, and two inserts of one key. */
const lostRaces: ReadonlySet<string | undefined> = new Set(['40001', '40P01', '23505'])

export function openPostgres(url: string): Sql & { readonly pool: Pool } {
  // `pipeline` is younger than the package's types.
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
  // A connection that breaks while idle is replaced by the pool; the next job tells whether the server is there.
  pool.on('error', () => {})
  // One that breaks while a job has it fails that job; without a listener it would end the process as well.
  pool.on('connect', (client) => client.on('error', () => {}))
  const texts = new Map<string, QueryConfig>()
  let answeredAt = 0

  function send(client: ClientBase, { sql, values }: Statement): Promise<QueryResult<Row>> {
    // The server would refuse it after the connection was spent; whoever sent it can act on it.
    if (values.some((value) => typeof value === 'string' && value.includes('\0')))
      throw new AppError('invalid_input', 'a text holds a NUL (U+0000), which cannot be stored or looked for')
    let known = texts.get(sql)
    if (!known) {
      known = { name: `s${texts.size}`, text: numbered(sql) }
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
        gather(client)
        step = job.next(rows)
      }
    }
    return step.value
  }

  async function once<T>(job: Job<T>): Promise<T> {
    const client = await pool.connect()
    const unawaited: Promise<unknown>[] = []
    try {
      gather(client)
      const begun = client.query('BEGIN')
      begun.catch(() => {})
      unawaited.push(begun)
      const result = await drive(client, job, unawaited)
      const [end] = await Promise.all([client.query('COMMIT'), ...unawaited])
      // A transaction that failed inside is rolled back by its COMMIT.
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
        // Statements in flight and half-made prepared ones go with the connection.
        client.release(true)
      }
      // What fails after a statement that nobody waited for only tells that the transaction is lost, not why.
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
    lock: ' FOR UPDATE',
    pool,
    read,
    async write<T>(job: () => Job<T>) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once(job())
        } catch (error) {
          if (attempt >= maxTries || !lostRaces.has((error as { code?: string }).code)) throw asAppError(error)
        }
      }
    },
    async ping() {
      // A busy pool is not a database that is away.
      if (Date.now() - answeredAt > freshMs) await read(() => query('SELECT 1'))
    },
    close: () => pool.end(),
  }
}

/** Lets what is sent within one tick leave in one write; the package would make one of each statement. */
function gather(client: ClientBase): void {
  const { stream } = (client as ClientBase & { connection: { stream: Writable } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** `?` as PostgreSQL wants it. No statement of the store has a question mark inside a literal. */
function numbered(sql: string): string {
  let at = 0
  return sql.replaceAll('?', () => `$${++at}`)
}

/** The faults of the database that a user can act on; anything else stays what it is. */
export function asAppError(error: unknown): unknown {
  if (error instanceof AppError) return error
  const { code, message = '' } = error as { code?: string; message?: string }
  if (code === '53100') {
    return new AppError('disk_full', "the database's disk is full: nothing was stored", { cause: error })
  }
  const words = awayWords.find(([pattern]) => pattern.test(`${code ?? ''} ${message}`))?.[1]
  if (words === undefined) return error
  return new AppError('database_unavailable', `PostgreSQL is unavailable: ${words}`, { cause: error })
}

/**
 * Why the server cannot be used, by the code of the fault, which stands first, or by its message. Said in words of our own:
 * the server's and the system's name hosts, ports and users, and everybody may come to read them.
 */
const awayWords: readonly (readonly [RegExp, string])[] = [
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
