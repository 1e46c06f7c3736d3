// Statements that go to PostgreSQL in one write and are answered together. Each is prepared once on a connection, and only
// then the server describes its columns.
import { type ClientBase, type Connection, Query, types } from 'pg'
import type { Row, Statement, Value } from './sql.ts'

/** Runs statements in order and returns the rows of the last one. */
export type Fly = (client: ClientBase, statements: readonly Statement[]) => Promise<Row[]>

/**
 * The server skips the statements after one that fails. If it failed because it could not be prepared, the connection must
 * be closed: the statement counts as prepared.
 */
export function createFlights(): Fly {
  const prepared: PreparedOf = new WeakMap()
  return async (client, statements) => {
    if (statements.length === 0) return []
    const { promise, resolve, reject } = Promise.withResolvers<Row[]>()
    const callback: FlightParts['callback'] = (error, rows) => (error ? reject(error) : resolve(rows))
    client.query(new Flight({ statements, prepared, callback }))
    try {
      return await promise
    } catch (error) {
      // The stack of a server's error leads to the socket, not to the caller.
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    }
  }
}

type FlightParts = {
  readonly statements: readonly Statement[]
  readonly prepared: PreparedOf
  readonly callback: (error: Error | null, rows: Row[]) => void
}

/** Several statements with one Sync. The package allows no other class than its own in pipeline mode. */
class Flight extends Query {
  /** The package calls it, and puts one with a time limit in its place. */
  callback: FlightParts['callback']
  readonly #parts: FlightParts
  #sent: Prepared[] = []
  /** The statements that are prepared with this flight, by their place in it. */
  readonly #fresh: { readonly sql: string; readonly at: number }[] = []
  /** How many statements are answered, and the rows of the one that is being answered. */
  #answered = 0
  #rows: Row[] = []

  constructor(parts: FlightParts) {
    super('')
    this.callback = parts.callback
    this.#parts = parts
  }

  /** Returns an error instead of throwing it: the package then hands it to the callback, which ends the time limit. */
  override submit = (connection: Connection): unknown => {
    connection.stream.cork()
    try {
      this.#write(connection)
      return undefined
    } catch (error) {
      return error
    } finally {
      connection.stream.uncork()
    }
  }

  #write(connection: Connection): void {
    const { statements, prepared } = this.#parts
    const known = prepared.get(connection) ?? new Map<string, Prepared>()
    prepared.set(connection, known)
    for (const { sql, values } of statements) {
      let statement = known.get(sql)
      if (!statement) {
        statement = prepare(connection, known, sql)
        this.#fresh.push({ sql, at: this.#sent.length })
      }
      connection.bind({ statement: statement.name, values, valueMapper: parameterOf })
      connection.execute()
      this.#sent.push(statement)
    }
    connection.sync()
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    const columns = fields.map(({ name, dataTypeID }) => ({ name, parse: types.getTypeParser(dataTypeID) }))
    this.#sent[this.#answered]?.columns.push(...columns)
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const row: Record<string, Value> = {}
    for (const [at, { name, parse }] of this.#sent[this.#answered]?.columns.entries() ?? []) {
      const text = fields[at] ?? null
      row[name] = text === null ? null : parse(text)
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }): void {
    // The server tells what it did: `UPDATE 3`.
    if (this.#parts.statements[this.#answered]?.counted) this.#rows = [{ changed: Number(text.split(' ').at(-1)) }]
    this.#answered++
    if (this.#answered < this.#sent.length) this.#rows = []
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#rows)
  }

  handleError(error: Error, connection: Connection): void {
    // The server has skipped the statements behind this one.
    const known = this.#parts.prepared.get(connection)
    for (const { sql, at } of this.#fresh) if (at > this.#answered) known?.delete(sql)
    this.callback(error, [])
  }
}

// The package's types of a connection are those of an earlier version.
declare module 'pg' {
  interface Connection {
    parse(message: { name: string; text: string }): void
    describe(message: { type: 'S'; name: string }): void
    bind(message: { statement: string; values: readonly Value[]; valueMapper: (value: Value) => Parameter }): void
    execute(): void
  }
}
type Parameter = string | Buffer | null
type Field = { readonly name: string; readonly dataTypeID: number }
type Column = { readonly name: string; readonly parse: (text: string) => Value }
/** The statements that each connection has prepared, by their text. */
type PreparedOf = WeakMap<Connection, Map<string, Prepared>>
type Prepared = { readonly name: string; readonly columns: Column[] }

function prepare(connection: Connection, known: Map<string, Prepared>, sql: string): Prepared {
  const prepared: Prepared = { name: `s${known.size}`, columns: [] }
  known.set(sql, prepared)
  connection.parse({ name: prepared.name, text: numberParameters(sql) })
  connection.describe({ type: 'S', name: prepared.name })
  return prepared
}

function parameterOf(value: Value): Parameter {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

/** Replaces each `?` by `$1`, `$2`, … No statement of the store has a question mark inside a literal. */
function numberParameters(sql: string): string {
  let at = 0
  return sql.replaceAll('?', () => `$${++at}`)
}
