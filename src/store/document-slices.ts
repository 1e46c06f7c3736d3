// Large documents on SQLite, where a transaction blocks the event loop: their chunks are written and erased a few at a time.
// Meanwhile they are under a path that no document can have, so no reader sees them. One short transaction then moves the
// new chunks to the document's path and the old ones away from it. A thread writes and erases them: some of the commits merge
// parts of the index. PostgreSQL needs none of this.
import type { Chunk } from '#core/document.ts'
import { AppError } from '#core/errors.ts'
import { newId, type UserId } from '#core/ids.ts'
import { type IndexOwner, saveChunk } from './document-index.ts'
import { first, query, type Job, type Row, run, type Sql, takesLong } from './sql.ts'

/** Chunks that one transaction writes or erases: the index takes about 0.4 ms for a chunk of new words. */
const sliceChunks = 40
/** Terms that one transaction writes. A chunk of words has some hundred; of a script without spaces each letter is one. */
const sliceTerms = 20_000
/** Chunks that are written without a thread: those of new words take up to 3 ms each, with what the commit merges. */
const maxOwnChunks = 8
/** Chunks of an index that is written without a thread: a commit merges parts of a larger one for tens of milliseconds. */
const maxOwnIndex = 1_000
/** Chunks of small documents that one transaction erases. */
const maxErasedChunks = 50
/** Paths of chunks without a document begin with a slash. A path of a document never does. */
const firstHidden = '/'
const afterHidden = '0'
/** Paths that one look for leftovers returns. */
const maxLeftovers = 100

const move = 'UPDATE chunks SET path = ? WHERE user_id = ? AND path = ?'

/** True for a document whose chunks are erased in slices. */
export function isLarge({ backend }: Sql, chunks: number): boolean {
  return backend === 'sqlite' && chunks > sliceChunks
}

/** True for a document whose chunks are written in slices. */
export function needsSlices({ backend }: Sql, chunks: readonly Chunk[]): boolean {
  return backend === 'sqlite' && endOfSlice(chunks, 0) < chunks.length
}

/** For `write`: how long a transaction may take that adds so many chunks to the index, or erases a document. */
export async function sizeOfWrite(sql: Sql, chunks: number): Promise<typeof takesLong | undefined> {
  if (sql.backend === 'postgres') return undefined
  if (chunks > maxOwnChunks) return takesLong
  const last = await sql.read(() => first('SELECT max(id) AS id FROM chunks'))
  return Number(last?.['id']) > maxOwnIndex ? takesLong : undefined
}

export function hiddenPath(): string {
  return `${firstHidden}${newId()}`
}

/** The first documents that one transaction erases, by their numbers of chunks. A large one comes alone. */
export function inOneSlice(sql: Sql, documents: readonly Row[]): readonly Row[] {
  if (sql.backend === 'postgres') return documents
  const sizes = documents.map(({ chunks }) => Number(chunks))
  let [end, total] = [1, sizes[0] ?? 0]
  if (isLarge(sql, total)) return documents.slice(0, 1)
  for (const size of sizes.slice(1)) {
    total += size
    if (isLarge(sql, size) || total > maxErasedChunks) break
    end++
  }
  return documents.slice(0, end)
}

type HiddenChunks = {
  readonly user: UserId
  readonly path: string
  readonly chunks: readonly Chunk[]
  /** Begins each transaction. */
  readonly lockOwner: () => Job<IndexOwner>
}

/** Writes chunks under a hidden path. If it fails, it erases what it has written. */
export async function writeSlices(sql: Sql, { user, path, chunks, lockOwner }: HiddenChunks): Promise<void> {
  try {
    for (let from = 0, end = 0; from < chunks.length; from = end) {
      const start = from
      end = endOfSlice(chunks, start)
      const slice = chunks.slice(start, end)
      await sql.write(function* () {
        const owner = yield* lockOwner()
        for (const [index, chunk] of slice.entries()) yield* saveChunk(sql, owner, { path, at: start + index, chunk })
      }, takesLong)
    }
  } catch (error) {
    await eraseIfPossible(sql, user, [path])
    throw error
  }
}

/** Where the slice of chunks that begins at `from` ends. It has at least one. */
function endOfSlice(chunks: readonly Chunk[], from: number): number {
  let [end, terms] = [from, 0]
  for (const { terms: each } of chunks.slice(from, from + sliceChunks)) {
    terms += each.title.length + each.body.length + each.extra.length
    if (terms > sliceTerms && end > from) break
    end++
  }
  return end
}

/** Moves the chunks of a document away to a hidden path. */
export function* hideChunks(user: UserId, path: string, hidden: string): Job<void> {
  yield* run(move, hidden, user, path)
}

/** Moves chunks that were written under a hidden path to their document. Throws unless all of them are still there. */
export function* showChunks(user: UserId, hidden: string, path: string, chunks: number): Job<void> {
  const moved = yield* query(`${move} RETURNING at`, path, user, hidden)
  if (moved.length === chunks) return
  throw new AppError('database_unavailable', `a part of ${path} was erased while it was written: try again`)
}

/** Erases the chunks of hidden paths. What cannot be erased now is erased after the next start: the write is done. */
export async function eraseIfPossible(sql: Sql, user: UserId, paths: readonly string[]): Promise<void> {
  await eraseSlices(sql, user, paths).catch(() => {})
}

async function eraseSlices(sql: Sql, user: UserId, paths: readonly string[]): Promise<void> {
  const some = 'SELECT id FROM chunks WHERE user_id = ? AND path = ? ORDER BY at LIMIT ?'
  for (const path of paths) {
    const slice = [user, path, sliceChunks] as const
    let erased: number
    do {
      erased = await sql.write(function* () {
        const rows = yield* query(some, ...slice)
        yield* run(`DELETE FROM chunk_terms WHERE rowid IN (${some})`, ...slice)
        yield* run(`DELETE FROM chunks WHERE id IN (${some})`, ...slice)
        return rows.length
      }, takesLong)
    } while (erased === sliceChunks)
  }
}

/** Erases all hidden chunks of a user. */
export async function eraseHidden(sql: Sql, user: UserId): Promise<void> {
  if (sql.backend === 'postgres') return
  const paths = 'SELECT DISTINCT path FROM chunks WHERE user_id = ? AND path >= ? AND path < ? LIMIT ?'
  const rows = await sql.read(() => query(paths, user, firstHidden, afterHidden, maxLeftovers))
  await eraseSlices(
    sql,
    user,
    rows.map(({ path }) => String(path)),
  )
  if (rows.length === maxLeftovers) await eraseHidden(sql, user)
}

/**
 * Erases what a killed process left behind. Only for the process that has locked the home, and before its first write: the
 * hidden chunks of another writer look the same. The paths are read before this returns; later ones are left alone.
 */
export async function eraseLeftovers(sql: Sql): Promise<void> {
  const leftovers = `SELECT DISTINCT c.user_id, c.path FROM document_owners o
    JOIN chunks c ON c.user_id = o.user_id AND c.path >= ? AND c.path < ?`
  const rows = await sql.read(() => query(leftovers, firstHidden, afterHidden))
  for (const { user_id, path } of rows) await eraseSlices(sql, String(user_id) as UserId, [String(path)])
}
