// Earlier versions of documents: the text that each write replaced, up to a bound.
import { type DocumentVersion, maxVersions } from '#core/document.ts'
import type { UserId } from '#core/ids.ts'
import { first, type Job, query, type Row, run } from './sql.ts'

const columns = 'revision, author, untrusted, bytes, written_at'

/** The text of a document, from its chunks. */
export function* readContent(user: UserId, path: string): Job<string> {
  const chunks = 'SELECT text, lap FROM chunks WHERE user_id = ? AND path = ? ORDER BY at'
  return (yield* query(chunks, user, path)).map(({ text, lap }) => String(text).slice(Number(lap))).join('')
}

/** Keeps the text that a write is about to replace, unless it stays the same. `document` is its row. */
export function* keepVersion(user: UserId, document: Row, next: string): Job<void> {
  const path = String(document['path'])
  const content = yield* readContent(user, path)
  if (content === next) return
  const revision = Number(document['revision'])
  yield* run(
    `INSERT INTO document_versions (user_id, path, ${columns}, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (user_id, path, revision) DO NOTHING`,
    user,
    path,
    revision,
    String(document['author']),
    Number(document['untrusted']),
    Number(document['bytes']),
    Number(document['updated_at']),
    content,
  )
  // The oldest of those that are to stay; undefined while there are no more than that.
  const oldest = yield* first(
    'SELECT revision FROM document_versions WHERE user_id = ? AND path = ? ORDER BY revision DESC LIMIT 1 OFFSET ?',
    user,
    path,
    maxVersions - 1,
  )
  if (!oldest) return
  const older = 'DELETE FROM document_versions WHERE user_id = ? AND path = ? AND revision < ?'
  yield* run(older, user, path, Number(oldest['revision']))
}

export function* eraseVersions(user: UserId, path: string): Job<void> {
  yield* run('DELETE FROM document_versions WHERE user_id = ? AND path = ?', user, path)
}

/** Latest first. */
export function* listVersions(user: UserId, path: string): Job<DocumentVersion[]> {
  const list = `SELECT ${columns} FROM document_versions WHERE user_id = ? AND path = ? ORDER BY revision DESC LIMIT ?`
  return (yield* query(list, user, path, maxVersions)).map(versionOf)
}

export function* readVersion(
  user: UserId,
  path: string,
  revision: number,
): Job<(DocumentVersion & { content: string }) | undefined> {
  const read = `SELECT ${columns}, content FROM document_versions WHERE user_id = ? AND path = ? AND revision = ?`
  const row = yield* first(read, user, path, revision)
  return row && { ...versionOf(row), content: String(row['content']) }
}

function versionOf(row: Row): DocumentVersion {
  return {
    revision: Number(row['revision']),
    author: String(row['author']) as DocumentVersion['author'],
    untrusted: Number(row['untrusted']) === 1,
    bytes: Number(row['bytes']),
    writtenAt: Number(row['written_at']),
  }
}
