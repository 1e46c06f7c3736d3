// Documents and their chunks. A document's text is stored only in its chunks; document-index.ts has the index over them.
import {
  type Document,
  type DocumentInfo,
  type DocumentStore,
  type NewDocument,
  type PutOutcome,
} from '#core/document.ts'
import { identityPaths } from '#core/document.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { notify } from './change-signal.ts'
import {
  eraseHidden,
  eraseIfPossible,
  hiddenPath,
  hideChunks,
  inOneSlice,
  isLarge,
  needsSlices,
  showChunks,
  sizeOfWrite,
  writeSlices,
} from './document-slices.ts'
import { documentIndex, eraseChunks, findChunks, saveChunk } from './document-index.ts'
import { checkBounds, lockOwner, type Owner, ownerOf, saveOwner, without } from './document-owner.ts'
import { eraseVersions, keepVersion, listVersions, readContent, readVersion } from './document-versions.ts'
import { first, inList, type Job, query, type Row, run, type Sql, takesLong } from './sql.ts'
import { checkRoom, readStored } from './storage-quota.ts'
import { countMatch, withIndex } from './term-index.ts'
import type { StoreBase } from './store-base.ts'

/** Documents erased in one transaction: others wait for it. */
const maxErased = 50

const columns = 'path, bytes, author, thread_id, untrusted, revision, chunks, terms, created_at, updated_at'

/** Length of the beginning of a text that a list shows. */
const beginningChars = 240
const beginning = `(SELECT substr(c.text, 1, ${beginningChars}) FROM chunks c
  WHERE c.user_id = documents.user_id AND c.path = documents.path AND c.at = 0) AS beginning`

export function createDocumentStore({
  sql,
  now,
  maxUserBytes = 0,
}: Pick<StoreBase, 'sql' | 'now' | 'maxUserBytes'>): DocumentStore {
  /** Writes the chunks of a large document ahead of its transaction. */
  async function stage(user: UserId, document: NewDocument): Promise<Staged> {
    const hidden = hiddenPath()
    const { chunks } = document
    if (!needsSlices(sql, chunks)) return { document, hidden }
    const written = hiddenPath()
    await writeSlices(sql, { user, path: written, chunks, lockOwner: () => lockOwner(sql, user) })
    return { document, hidden, written }
  }

  return {
    async put(user, documents) {
      const staged: Staged[] = []
      try {
        for (const document of documents) staged.push(await stage(user, document))
        const size = await sizeOfWrite(
          sql,
          documents.reduce((sum, { chunks }) => sum + chunks.length, 0),
        )
        const { outcomes, left } = await sql.write(function* () {
          let owner = yield* lockOwner(sql, user)
          const before = owner.bytes
          const results: Put[] = []
          for (const each of staged) {
            const put = yield* putOne(sql, owner, each, { at: now(), maxUserBytes })
            owner = put.after
            results.push(put)
          }
          yield* checkRoom(user, { added: owner.bytes - before, max: maxUserBytes })
          yield* saveOwner(owner)
          if (documents.some(({ path }) => identityPaths.includes(path))) yield* notify(sql, { type: 'identity', user })
          return { outcomes: results.map(({ outcome }) => outcome), left: results.flatMap((put) => put.left ?? []) }
        }, size)
        await eraseIfPossible(sql, user, left)
        return outcomes
      } catch (error) {
        const written = staged.flatMap((each) => each.written ?? [])
        await eraseIfPossible(sql, user, written)
        throw error
      }
    },
    get: (user, path) =>
      sql.read(function* () {
        const row = yield* first(`SELECT ${columns} FROM documents WHERE user_id = ? AND path = ?`, user, path)
        if (!row) return undefined
        return { ...infoOf(row), content: yield* readContent(user, path) } satisfies Document
      }),
    list: (user, { prefix, after, limit, beginnings }) =>
      sql.read(function* () {
        const rows = yield* query(
          `SELECT ${columns}${beginnings ? `, ${beginning}` : ''} FROM documents
           WHERE user_id = ? AND path >= ? AND path < ? AND path > ? ORDER BY path LIMIT ?`,
          user,
          prefix,
          endOf(prefix),
          after,
          limit,
        )
        return rows.map(infoOf)
      }),
    versions: (user, path) => sql.read(() => listVersions(user, path)),
    version: (user, path, revision) => sql.read(() => readVersion(user, path, revision)),
    async remove(user, path) {
      const hidden = hiddenPath()
      const size = await sizeOfWrite(sql, 0)
      const removed = await sql.write(function* () {
        const owner = yield* lockOwner(sql, user)
        const row = yield* first(`SELECT ${columns} FROM documents WHERE user_id = ? AND path = ?`, user, path)
        if (!row) return 'nothing'
        const large = isLarge(sql, Number(row['chunks']))
        yield* large ? hideChunks(user, path, hidden) : eraseChunks(sql, user, [path])
        yield* run('DELETE FROM documents WHERE user_id = ? AND path = ?', user, path)
        yield* eraseVersions(user, path)
        yield* saveOwner(without(owner, row))
        if (identityPaths.includes(path)) yield* notify(sql, { type: 'identity', user })
        return large ? 'hidden' : 'erased'
      }, size)
      if (removed === 'hidden') await eraseIfPossible(sql, user, [hidden])
      return removed !== 'nothing'
    },
    async eraseSome(user) {
      const hidden = hiddenPath()
      const { erased, left } = await sql.write(function* () {
        const listed = 'SELECT path, chunks FROM documents WHERE user_id = ? ORDER BY path LIMIT ?'
        const rows = inOneSlice(sql, yield* query(listed, user, maxErased))
        // At most one is large: it is erased alone.
        const large = rows.some(({ chunks }) => isLarge(sql, Number(chunks)))
        const paths = rows.map(({ path }) => String(path))
        const [path] = paths
        if (large && path !== undefined) yield* hideChunks(user, path, hidden)
        yield* eraseDocuments(sql, user, paths)
        return { erased: rows.length, left: large ? [hidden] : [] }
      }, takesLong)
      await eraseIfPossible(sql, user, left)
      if (erased > 0) return erased
      await eraseHidden(sql, user)
      await sql.write(function* () {
        // Versions of documents that are gone: an earlier Atrium left them when it ran beside a newer one.
        yield* run('DELETE FROM document_versions WHERE user_id = ?', user)
        yield* run('DELETE FROM document_owners WHERE user_id = ?', user)
      })
      return 0
    },
    count: (user, matches, max) =>
      sql.readLong(user, function* () {
        const row = yield* first('SELECT * FROM document_owners WHERE user_id = ?', user)
        if (!row || Number(row['chunks']) === 0) return undefined
        const owner = ownerOf(user, row)
        const { number } = owner
        const counts: number[] = []
        for (const match of matches)
          counts.push(yield* withIndex(sql, countMatch(sql, documentIndex, { number, match, max })))
        return { chunks: owner.chunks, terms: owner.terms, counts }
      }),
    find: (user, candidates) =>
      sql.readLong(user, function* () {
        const row = yield* first('SELECT * FROM document_owners WHERE user_id = ?', user)
        if (!row) return []
        return yield* withIndex(sql, findChunks(sql, ownerOf(user, row), candidates))
      }),
  }
}

/** One statement for each table: with one for each document the index would be written anew after each. */
function* eraseDocuments(sql: Sql, user: UserId, paths: readonly string[]): Job<void> {
  const list = inList[sql.backend]
  for (const table of ['documents', 'document_versions'] as const)
    yield* run(`DELETE FROM ${table} WHERE user_id = ? AND path ${list}`, user, JSON.stringify(paths))
  yield* eraseChunks(sql, user, paths)
}

/** `left` is a hidden path with chunks to erase. */
type Put = { readonly outcome: PutOutcome; readonly after: Owner; readonly left?: string | undefined }

type Staged = {
  readonly document: NewDocument
  /** The hidden path that its chunks are already written under. */
  readonly written?: string
  /** The hidden path that the chunks of a large document move to when it is replaced. */
  readonly hidden: string
}

type Putting = { readonly at: number; readonly maxUserBytes: number }

function* putOne(sql: Sql, owner: Owner, { document, written, hidden }: Staged, putting: Putting): Job<Put> {
  const { at, maxUserBytes } = putting
  const { user } = owner
  const { path, bytes, author, threadId = null, untrusted, chunks, expects } = document
  const existing = yield* first(`SELECT ${columns} FROM documents WHERE user_id = ? AND path = ?`, user, path)
  const revision = Number(existing?.['revision'] ?? 0)
  if (expects !== undefined && expects !== revision) return { outcome: 'changed', after: owner, left: written }
  const wasLarge = existing !== undefined && isLarge(sql, Number(existing['chunks']))
  if (existing && (yield* hasRoom(user, Number(existing['bytes']), maxUserBytes))) {
    yield* keepVersion(user, existing, chunks.map(({ text, lap }) => text.slice(lap)).join(''))
  }
  if (!existing) yield* checkPath(user, path)
  else yield* wasLarge ? hideChunks(user, path, hidden) : eraseChunks(sql, user, [path])
  const terms = chunks.reduce((sum, chunk) => sum + chunk.terms.body.length, 0)
  const before = existing ? without(owner, existing) : owner
  const after = {
    ...before,
    documents: before.documents + 1,
    bytes: before.bytes + bytes,
    chunks: before.chunks + chunks.length,
    terms: before.terms + terms,
  }
  checkBounds(after)
  yield* run(
    `INSERT INTO documents (user_id, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (user_id, path) DO UPDATE SET bytes = excluded.bytes, author = excluded.author,
       thread_id = excluded.thread_id, untrusted = excluded.untrusted, revision = excluded.revision, chunks = excluded.chunks, terms = excluded.terms,
       updated_at = excluded.updated_at`,
    user,
    path,
    bytes,
    author,
    threadId,
    untrusted ? 1 : 0,
    revision + 1,
    chunks.length,
    terms,
    at,
    at,
  )
  if (written !== undefined) yield* showChunks(user, written, path, chunks.length)
  else for (const [index, chunk] of chunks.entries()) yield* saveChunk(sql, owner, { path, at: index, chunk })
  return { outcome: existing ? 'replaced' : 'created', after, ...(wasLarge && { left: hidden }) }
}

/** True if so much more fits into the user's quota: an earlier version is kept only where it does. */
function* hasRoom(user: UserId, bytes: number, max: number): Job<boolean> {
  return max === 0 || (yield* readStored(user)) + bytes <= max
}

/** Refuses a path that is both a document and a folder: documents can be exported to a folder of files. */
function* checkPath(user: UserId, path: string): Job<void> {
  const below = `${path}/`
  const inside = 'SELECT path FROM documents WHERE user_id = ? AND path >= ? AND path < ? LIMIT 1'
  if (yield* first(inside, user, below, endOf(below))) {
    throw new AppError('invalid_input', `${path} is a folder: choose another path`, { param: 'path' })
  }
  const folders = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))
  if (folders.length === 0) return
  const marks = folders.map(() => '?').join(', ')
  const above = yield* first(`SELECT path FROM documents WHERE user_id = ? AND path IN (${marks})`, user, ...folders)
  if (above) {
    const message = `${String(above['path'])} is a document, not a folder: choose another path`
    throw new AppError('invalid_input', message, { param: 'path' })
  }
}

/** An upper bound of all texts with this prefix. */
function endOf(prefix: string): string {
  return prefix.endsWith('/') ? `${prefix.slice(0, -1)}0` : `${prefix}\u{10ffff}`
}

function infoOf(row: Row): DocumentInfo {
  return {
    path: String(row['path']),
    bytes: Number(row['bytes']),
    author: String(row['author']) as DocumentInfo['author'],
    ...(row['thread_id'] && { threadId: String(row['thread_id']) }),
    untrusted: Number(row['untrusted']) === 1,
    revision: Number(row['revision']),
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    ...(typeof row['beginning'] === 'string' && { beginning: row['beginning'] }),
  }
}
