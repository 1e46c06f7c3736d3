// A user's totals of documents: locked first by every writer, so that writers of one user wait for each other.
import { maxDocumentBytes, maxDocuments } from '#core/document.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { first, type Job, type Row, run, type Sql } from './sql.ts'

/** Advisory lock key. It is arbitrary, but the same in every Atrium and in no other lock. */
const numbersLockKey = 4_728_301_196

/** A user's totals. The number is the prefix of the user's terms in the index. */
export type Owner = {
  readonly user: UserId
  readonly number: number
  readonly documents: number
  readonly bytes: number
  readonly chunks: number
  readonly terms: number
}

/** Locks the user's row and creates it if needed; concurrent writers of one user wait for each other. */
export function* lockOwner(sql: Sql, user: UserId): Job<Owner> {
  const select = `SELECT * FROM document_owners WHERE user_id = ?${sql.lock}`
  const row = (yield* first(select, user)) ?? (yield* lockNumbers(sql, select, user))
  if (row) return ownerOf(user, row)
  yield* run(
    `INSERT INTO document_owners (user_id, number, documents, bytes, chunks, terms)
     SELECT ?, COALESCE(MAX(number), 0) + 1, 0, 0, 0, 0 FROM document_owners`,
    user,
  )
  return ownerOf(user, (yield* first(select, user)) ?? {})
}

/** Serializes the assignment of numbers. After the wait another process may have created the row, which is returned. */
function* lockNumbers({ backend }: Sql, select: string, user: UserId): Job<Row | undefined> {
  if (backend === 'sqlite') return undefined
  yield* run('SELECT pg_advisory_xact_lock(?)', numbersLockKey)
  return yield* first(select, user)
}

/** Stores the totals of a user. */
export function* saveOwner({ user, documents, bytes, chunks, terms }: Owner): Job<void> {
  const update = 'UPDATE document_owners SET documents = ?, bytes = ?, chunks = ?, terms = ? WHERE user_id = ?'
  yield* run(update, documents, bytes, chunks, terms, user)
}

/** Refuses more than a user may keep. */
export function checkBounds({ documents, bytes }: Owner): void {
  if (documents > maxDocuments) {
    throw new AppError('too_large', `at most ${maxDocuments} documents are kept for a user: delete some first`)
  }
  if (bytes > maxDocumentBytes) {
    throw new AppError('too_large', `at most ${maxDocumentBytes} bytes are kept for a user: delete documents first`)
  }
}

/** The totals without one document. */
export function without(owner: Owner, row: Row): Owner {
  return {
    ...owner,
    documents: owner.documents - 1,
    bytes: owner.bytes - Number(row['bytes']),
    chunks: owner.chunks - Number(row['chunks']),
    terms: owner.terms - Number(row['terms']),
  }
}

export function ownerOf(user: UserId, row: Row): Owner {
  const number = (name: string): number => Number(row[name])
  return {
    user,
    number: number('number'),
    documents: number('documents'),
    bytes: number('bytes'),
    chunks: number('chunks'),
    terms: number('terms'),
  }
}
