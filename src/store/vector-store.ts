// Vectors of chunks, compared by sqlite-vec or pgvector. A search covers only its user's vectors: it selects candidates by
// one bit of each number, then ranks them by the full numbers.
import type { DatabaseSync } from 'node:sqlite'
import { AppError } from '#core/errors.ts'
import type { VectorStore } from '#core/vector.ts'
import { foundOf } from './document-index.ts'
import { first, query, run, type Sql, type Value } from './sql.ts'

/** Chunks that one search for missing vectors covers; on SQLite it blocks the event loop. */
const scanRows = { sqlite: 2_000, postgres: 20_000 }
/** Candidates that are ranked by their numbers. For a user with no more vectors the search is exact. */
const maxCandidates = 400
/** Ids become visible out of order: a long transaction, or a batch of large documents on SQLite, comes this many late. */
const maxIdsLate = 20_000
const noPgvector = 'the PostgreSQL server does not have pgvector'
/** Cosine distance at which a chunk no longer matches: a right angle. */
const maxDistance = 0.999

/** `prepare` depends on the database: `loadSqliteVec`, `createPgvector` or `findPgvector`. */
export function createVectorStore({ sql, prepare }: { sql: Sql; prepare: VectorStore['prepare'] }): VectorStore {
  return {
    prepare,
    pending: (model, { after, limit }) =>
      sql.read(function* () {
        // The end is fixed first: chunks that appear meanwhile are left for the next search.
        const passed = 'SELECT id FROM chunks WHERE id > ? ORDER BY id LIMIT ?'
        const end = yield* first(`SELECT max(id) AS id FROM (${passed}) AS passed`, after, scanRows[sql.backend])
        const through = Number(end?.['id'] ?? after)
        const rows = yield* query(
          `SELECT c.id, c.path, c.text FROM chunks c WHERE c.id > ? AND c.id <= ?
             AND NOT (c.path >= '/' AND c.path < '0')
             AND NOT EXISTS (SELECT 1 FROM chunk_vectors v WHERE v.id = c.id AND v.model = ?) ORDER BY c.id LIMIT ?`,
          after,
          through,
          model,
          limit,
        )
        const chunks = rows.map(({ id, path, text }) => ({ id: Number(id), path: String(path), text: String(text) }))
        return { chunks, through: chunks.length < limit ? through : (chunks.at(-1)?.id ?? through) }
      }),
    tail: (model) =>
      sql.read(function* () {
        const row = yield* first('SELECT id FROM chunk_vectors WHERE model = ? ORDER BY id DESC LIMIT 1', model)
        return Math.max(0, Number(row?.['id'] ?? 0) - maxIdsLate)
      }),
    save: (model, made) =>
      sql.write(function* () {
        for (const { chunk, vector } of made) {
          const [bits, numbers] = vector ? valuesOf(sql, vector) : [null, null]
          const columns = [model, vector?.length ?? 0, bits, numbers] as const
          // SQLite may have reused the id for another chunk meanwhile, so path and text must match.
          yield* run(saveStatement(sql), ...columns, chunk.id, chunk.path, chunk.text)
        }
      }),
    nearest: (user, { model, vector, limit }) =>
      sql.read(function* () {
        const row = yield* first('SELECT number FROM document_owners WHERE user_id = ?', user)
        if (!row) return []
        const [bits, numbers] = valuesOf(sql, vector)
        const owner = Number(row['number'])
        const rows = yield* query(
          nearestStatement(sql),
          numbers,
          owner,
          model,
          vector.length,
          bits,
          maxCandidates,
          limit,
          user,
        )
        return rows.map(foundOf)
      }),
  }
}

/** Loads sqlite-vec; extension loading is off again afterwards. Returns the reason if it fails. */
export async function loadSqliteVec(db: DatabaseSync): Promise<string | undefined> {
  try {
    const { getLoadablePath } = await import('sqlite-vec')
    db.enableLoadExtension(true)
    db.loadExtension(getLoadablePath())
    return undefined
  } catch (error) {
    return `sqlite-vec cannot be loaded on this machine (${(error as Error).message})`
  } finally {
    db.enableLoadExtension(false)
  }
}

/** Creates the extension pgvector unless it exists. Returns the reason if that is not possible. */
export async function createPgvector(sql: Sql): Promise<string | undefined> {
  try {
    await sql.write(() => run('CREATE EXTENSION IF NOT EXISTS vector'))
    return undefined
  } catch (error) {
    const { code } = (error instanceof AppError ? error.cause : error) as { code?: string }
    if (code === '42501') {
      return 'the database user may not create the extension pgvector: let a superuser run CREATE EXTENSION vector'
    }
    // The server does not have the extension, or cannot create it.
    if (code === '0A000' || code === '58P01' || code === '42704') return noPgvector
    throw error
  }
}

/** Checks for pgvector on the server without creating anything. */
export async function findPgvector(sql: Sql): Promise<string | undefined> {
  const row = await sql.read(() => first(`SELECT 1 FROM pg_available_extensions WHERE name = 'vector'`))
  return row ? undefined : noPgvector
}

function saveStatement({ backend }: Sql): string {
  const [bits, numbers] = backend === 'sqlite' ? ['?', '?'] : ['?::varbit', `('{' || ?::text || '}')::real[]`]
  return `INSERT INTO chunk_vectors (id, owner, model, size, bits, numbers)
    SELECT c.id, o.number, ${backend === 'sqlite' ? '?, ?' : '?::text, ?::bigint'}, ${bits}, ${numbers}
    FROM chunks c JOIN document_owners o ON o.user_id = c.user_id WHERE c.id = ? AND c.path = ? AND c.text = ?
    ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, model = excluded.model, size = excluded.size,
      bits = excluded.bits, numbers = excluded.numbers`
}

function nearestStatement({ backend }: Sql): string {
  const [distance, differing] =
    backend === 'sqlite'
      ? ['vec_distance_cosine(v.numbers, ?)', 'vec_distance_hamming(vec_bit(bits), vec_bit(?))']
      : [`v.numbers::vector <=> ('[' || ?::text || ']')::vector`, 'bit_count(bits # ?::varbit)']
  return `SELECT c.path, c.at, c.text, d.untrusted, d.updated_at FROM (
      SELECT v.id, ${distance} AS distance FROM (
        SELECT id FROM chunk_vectors WHERE owner = ? AND model = ? AND size = ? ORDER BY ${differing} LIMIT ?
      ) AS likely JOIN chunk_vectors v ON v.id = likely.id ORDER BY distance LIMIT ?
    ) AS near JOIN chunks c ON c.id = near.id AND c.user_id = ?
    JOIN documents d ON d.user_id = c.user_id AND d.path = c.path
    WHERE near.distance < ${maxDistance} ORDER BY near.distance, c.id`
}

/** A vector as sign bits and as numbers, in the format of each database. */
function valuesOf({ backend }: Sql, vector: Float32Array): [bits: Value, numbers: Value] {
  if (backend === 'sqlite')
    return [sqliteBits(vector), new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)]
  return postgresVector(vector)
}

/** The sign bits of a vector, in the format of sqlite-vec. */
export function sqliteBits(vector: Float32Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(vector.length / 8))
  for (const [at, number] of vector.entries()) if (number > 0) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7))
  return bits
}

/** The sign bits, and the numbers with commas between them. */
export function postgresVector(vector: Float32Array): [bits: string, numbers: string] {
  return [Array.from(vector, (number) => (number > 0 ? '1' : '0')).join(''), vector.join(',')]
}
