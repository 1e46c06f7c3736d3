// The full-text index over threads and the list of threads to index. `follow` finds new turns and threads by their ids, so
// that storing them takes no further statement; triggers put renamed and deleted threads on the list.
import { operator, type UserId, userId } from '#core/ids.ts'
import type { IndexPosition, ReadThread, ThreadChunk, ThreadIndexStore, ThreadToIndex } from '#core/thread-index.ts'
import { findMessages } from './find-messages.ts'
import { readSaidIn } from './read-said.ts'
import { removedBody } from './rows.ts'
import { first, inList, type Job, query, type Row, run, type Sql, type Value } from './sql.ts'
import { countMatch, type IndexTables, saveTerms, termVector, withIndex } from './term-index.ts'
import { addTotals, lockTotals, totalsOf } from './thread-index-totals.ts'
import { isActive, isQueued } from './turn-status.ts'

const threadIndex: IndexTables = { chunks: 'thread_chunks', terms: 'thread_terms' }

/** Rows that one look for new turns and threads reads. */
const followRows = 200
/** Bounds of what is read of a thread at once, beside its first message. */
const maxRows = 200
const maxMessages = 20
const maxReadBytes = 128 * 1024
/** Threads that are read and saved together: up to this number, ending with the one that brings them to these bytes. */
const maxThreads = 16
const maxTogetherBytes = 16 * 1024
/** Chunks that one transaction erases. */
const eraseSlice = 160
/**
 * A thread with an unfinished turn is looked at again after this time, if nobody puts it on the list before: the process
 * that ends the turn does. A turn may wait for a person for a day.
 */
const unfinishedMs = 30_000
const waitingMs = 600_000

export function createThreadIndexStore({ sql, now }: { sql: Sql; now: () => number }): ThreadIndexStore {
  return {
    count: (user, matches, max) =>
      sql.readLong(user, function* () {
        const totals = yield* totalsOf(user)
        if (!totals || totals.chunks === 0) return undefined
        const counts: number[] = []
        for (const match of matches)
          counts.push(yield* withIndex(sql, countMatch(sql, threadIndex, { number: totals.number, match, max })))
        return { chunks: totals.chunks, terms: totals.terms, counts }
      }),
    find: (user, candidates, reading) =>
      sql.readLong(user, function* () {
        const totals = yield* totalsOf(user)
        return totals ? yield* findMessages(sql, { user, tables: threadIndex, totals, candidates, reading }) : []
      }),
    position: () =>
      sql.read(function* () {
        const rows = yield* query('SELECT name, id FROM thread_index_cursors')
        const of = (name: string): string => String(rows.find((row) => row['name'] === name)?.['id'] ?? '')
        return { turns: of('turns'), threads: of('threads') }
      }),
    follow: (from, until) =>
      sql.write(function* () {
        const position = { turns: yield* followTurns(from.turns), threads: yield* followThreads(from.threads) }
        yield* savePosition('turns', position.turns < until ? position.turns : until)
        yield* savePosition('threads', position.threads < until ? position.threads : until)
        return { position, more: !isSame(position, from) }
      }),
    rewind: () =>
      sql.write(function* () {
        yield* run('DELETE FROM thread_index_cursors')
        yield* run('UPDATE threads_to_index SET look_at = 0 WHERE look_at > ?', now())
      }),
    add: (threadIds) =>
      sql.write(function* () {
        for (const threadId of threadIds) {
          yield* run(
            `INSERT INTO threads_to_index (thread_id, look_at) SELECT id, 0 FROM threads WHERE id = ? AND temporary = 0
             ON CONFLICT (thread_id) DO UPDATE SET look_at = 0`,
            threadId,
          )
        }
      }),
    due: () =>
      sql.read(function* () {
        const due = `SELECT thread_id FROM threads_to_index WHERE look_at <= ? ORDER BY look_at LIMIT ${maxThreads}`
        return (yield* query(due, now())).map((row) => String(row['thread_id']))
      }),
    read: (threadIds) =>
      sql.read(function* () {
        const threads: ThreadToIndex[] = []
        let bytes = 0
        for (const id of threadIds) {
          if (bytes > maxTogetherBytes) break
          const next = yield* readNext(id)
          threads.push(next.thread)
          bytes += next.bytes
        }
        return threads
      }),
    putOff: (threadId, ms) =>
      sql.write(() => run('UPDATE threads_to_index SET look_at = ? WHERE thread_id = ?', now() + ms, threadId)),
    async save(read) {
      const saveOne = ({ thread, chunks }: ReadThread): Promise<void> =>
        sql.write(() => save(sql, thread, chunks, now()))
      // SQLite stores them in one commit, for which FTS5 makes one segment. PostgreSQL takes turns with other writers.
      if (sql.backend === 'sqlite') await Promise.all(read.map(saveOne))
      else for (const each of read) await saveOne(each)
    },
    erase: (threadIds) => sql.write(() => erase(sql, threadIds)),
  }
}

/** The seq up to which a recent thread is indexed. Subqueries, since PostgreSQL would read whole tables for a join. */
const indexed = (threadId: string): string =>
  `COALESCE((SELECT x.through FROM indexed_threads x WHERE x.thread_id = ${threadId}), -1)`

/** The id of the last of the turns that it has looked at. */
function* followTurns(after: string): Job<string> {
  const recent = 'SELECT id, thread_id, status FROM turns WHERE id > ? ORDER BY id LIMIT ?'
  const ofThread = (column: string): string => `(SELECT t.${column} FROM threads t WHERE t.id = recent.thread_id)`
  yield* run(
    `INSERT INTO threads_to_index (thread_id, look_at) SELECT recent.thread_id, 0 FROM (${recent}) AS recent
     WHERE ${ofThread('temporary')} = 0
       AND (${isActive} OR ${isQueued} OR ${ofThread('last_seq')} > ${indexed('recent.thread_id')})
     ON CONFLICT (thread_id) DO NOTHING`,
    after,
    followRows,
  )
  const row = yield* first(`SELECT max(id) AS id FROM (${recent}) AS recent`, after, followRows)
  return String(row?.['id'] ?? after)
}

/** The same for threads, some of which have no turn. */
function* followThreads(after: string): Job<string> {
  const recent = 'SELECT id, last_seq, temporary FROM threads WHERE id > ? ORDER BY id LIMIT ?'
  yield* run(
    `INSERT INTO threads_to_index (thread_id, look_at) SELECT recent.id, 0 FROM (${recent}) AS recent
     WHERE recent.temporary = 0 AND recent.last_seq > ${indexed('recent.id')} ON CONFLICT (thread_id) DO NOTHING`,
    after,
    followRows,
  )
  const row = yield* first(`SELECT max(id) AS id FROM (${recent}) AS recent`, after, followRows)
  return String(row?.['id'] ?? after)
}

/** A position goes back by `rewind` alone: another process may be ahead. */
function* savePosition(name: keyof IndexPosition, id: string): Job<void> {
  yield* run(
    `INSERT INTO thread_index_cursors (name, id) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET id = excluded.id WHERE thread_index_cursors.id < excluded.id`,
    name,
    id,
  )
}

function isSame(one: IndexPosition, two: IndexPosition): boolean {
  return one.turns === two.turns && one.threads === two.threads
}

function* readNext(threadId: string): Job<{ thread: ThreadToIndex; bytes: number }> {
  const thread = yield* first(`SELECT ${threadState} WHERE t.id = ?`, threadId)
  if (!thread || Number(thread['temporary']) === 1) return { thread: { type: 'gone', threadId }, bytes: 0 }
  const after = Number(thread['through'])
  const upTo = Math.min(Number(thread['last_seq']), after + maxRows)
  const { messages, through, bytes } = yield* readSaidIn(threadId, { after, upTo, maxMessages, maxBytes: maxReadBytes })
  const title = String(thread['title'])
  const titleChanged = thread['indexed_title'] === null ? title !== '' : thread['indexed_title'] !== title
  const owner = ownerOf(thread)
  return { thread: { type: 'behind', threadId, owner, title, titleChanged, after, through, messages }, bytes }
}

/** A thread beside what of it is indexed. */
const threadState = `t.user_id, t.operator_reaches, t.title, t.last_seq, t.temporary, x.through, x.title AS indexed_title
  FROM threads t LEFT JOIN indexed_threads x ON x.thread_id = t.id`

/** The operator searches the threads of senders, who have no account. */
function ownerOf(thread: Row): UserId {
  return Number(thread['operator_reaches']) === 1 ? operator : userId(String(thread['user_id']))
}

function* save(
  sql: Sql,
  thread: Extract<ThreadToIndex, { type: 'behind' }>,
  chunks: readonly ThreadChunk[],
  at: number,
): Job<void> {
  const { threadId, owner, title, titleChanged, after, through } = thread
  // In the order of the triggers: first the thread, then the list. The thread cannot be deleted meanwhile, but it takes turns.
  const keep = sql.backend === 'postgres' ? ' FOR KEY SHARE' : ''
  if (!(yield* first(`SELECT 1 AS one FROM threads WHERE id = ?${keep}`, threadId))) return
  // A rename or deletion that waits for this row puts the thread on the list again.
  if (!(yield* first(`SELECT 1 AS one FROM threads_to_index WHERE thread_id = ?${sql.lock}`, threadId))) return
  const now = yield* first(`SELECT ${threadState} WHERE t.id = ?`, threadId)
  if (!now || Number(now['temporary']) === 1) return
  if (String(now['title']) !== title || Number(now['through']) !== after) return
  const removed = yield* removedBetween(threadId, after, through)
  const kept = chunks.filter(({ seq }) => !removed.has(seq))
  const totals = yield* lockTotals(sql, owner)
  const renamed = titleChanged && now['indexed_title'] !== null
  const erased = renamed ? yield* eraseChunks(sql, threadId, 0) : { chunks: 0, terms: 0 }
  let terms = 0
  for (const chunk of kept) {
    yield* saveChunk(sql, totals.number, threadId, chunk)
    terms += chunk.terms.body.length
  }
  yield* addTotals(owner, kept.length - erased.chunks, terms - erased.terms)
  if (through > after || titleChanged || now['through'] === null) {
    yield* run(
      `INSERT INTO indexed_threads (thread_id, owner, through, title) VALUES (?, ?, ?, ?)
       ON CONFLICT (thread_id) DO UPDATE SET through = excluded.through, title = excluded.title`,
      threadId,
      owner,
      through,
      title,
    )
  }
  if (through < Number(now['last_seq'])) return
  const ms = yield* unfinishedFor(threadId)
  if (ms > 0) yield* run('UPDATE threads_to_index SET look_at = ? WHERE thread_id = ?', at + ms, threadId)
  else yield* run('DELETE FROM threads_to_index WHERE thread_id = ?', threadId)
}

/** The messages that were removed since they were read. Only items of no turn can be. */
function* removedBetween(threadId: string, after: number, through: number): Job<ReadonlySet<number>> {
  const rows = yield* query(
    'SELECT seq FROM items WHERE thread_id = ? AND seq BETWEEN ? AND ? AND turn_id = ? AND body = ?',
    threadId,
    after + 1,
    through,
    threadId,
    removedBody,
  )
  return new Set(rows.map(({ seq }) => Number(seq)))
}

/** When to look again at a thread; 0 if nothing is about to follow in it. */
function* unfinishedFor(threadId: string): Job<number> {
  const active = yield* first(`SELECT status FROM turns WHERE thread_id = ? AND ${isActive}`, threadId)
  if (active) return active['status'] === 'waiting' ? waitingMs : unfinishedMs
  const queued = yield* first(`SELECT 1 AS one FROM turns WHERE thread_id = ? AND ${isQueued} LIMIT 1`, threadId)
  return queued ? unfinishedMs : 0
}

function* saveChunk(sql: Sql, number: number, threadId: string, chunk: ThreadChunk): Job<void> {
  const { seq, start, chars, terms } = chunk
  const values = [threadId, seq, start, chars, terms.body.length] as const
  if (sql.backend === 'postgres') {
    const insert =
      'INSERT INTO thread_chunks (thread_id, seq, start, chars, size, terms) VALUES (?, ?, ?, ?, ?, ?::tsvector)'
    yield* run(insert, ...values, termVector(number, terms))
    return
  }
  const insert = 'INSERT INTO thread_chunks (thread_id, seq, start, chars, size) VALUES (?, ?, ?, ?, ?)'
  yield* run(insert, ...values)
  yield* saveTerms(threadIndex, number, terms)
}

function* erase(sql: Sql, threadIds: readonly string[]): Job<boolean> {
  const list = inList[sql.backend]
  // A thread may have been made again meanwhile: an id never is, but a temporary thread may now be kept.
  const kept = yield* query(`SELECT id FROM threads WHERE id ${list} AND temporary = 0`, JSON.stringify(threadIds))
  const keptIds = new Set(kept.map(({ id }) => id))
  const gone = JSON.stringify(threadIds.filter((id) => !keptIds.has(id)))
  const lock = sql.lock && ` ORDER BY thread_id${sql.lock}`
  const indexed = yield* query(`SELECT thread_id, owner FROM indexed_threads WHERE thread_id ${list}${lock}`, gone)
  const some = `SELECT id FROM thread_chunks WHERE thread_id ${list} LIMIT ${eraseSlice}`
  // PostgreSQL may read the whole table for an IN.
  const which = sql.backend === 'postgres' ? `id = ANY(ARRAY(${some}))` : `id IN (${some})`
  const rows = yield* deleteChunks(sql, which, gone)
  const owners = Map.groupBy(indexed, ({ owner }) => String(owner))
  // In one order everywhere: two processes wait for each other's rows otherwise.
  for (const owner of [...owners.keys()].toSorted()) {
    const threads = new Set(owners.get(owner)?.map((row) => row['thread_id']))
    const { chunks, terms } = sumOf(rows.filter((row) => threads.has(row['thread_id'] ?? '')))
    yield* addTotals(userId(owner), -chunks, -terms)
  }
  if (rows.length === eraseSlice) return true
  yield* run(`DELETE FROM indexed_threads WHERE thread_id ${list}`, gone)
  yield* run(`DELETE FROM threads_to_index WHERE thread_id ${list}`, gone)
  const ownerIds = JSON.stringify([...owners.keys()])
  yield* run(`DELETE FROM thread_index_owners WHERE user_id ${list} AND chunks <= 0`, ownerIds)
  return false
}

/** Erases the words of a message that this transaction has removed. */
export function* eraseWordsOf(sql: Sql, threadId: string, seq: number): Job<void> {
  // `save` has this row too: it stores the words before they are erased here, or sees that the message was removed.
  yield* first(`SELECT 1 AS one FROM threads_to_index WHERE thread_id = ?${sql.lock}`, threadId)
  const indexed = yield* first(`SELECT owner FROM indexed_threads WHERE thread_id = ?${sql.lock}`, threadId)
  const erased = yield* eraseChunks(sql, threadId, seq)
  if (indexed) yield* addTotals(userId(String(indexed['owner'])), -erased.chunks, -erased.terms)
}

function* eraseChunks(sql: Sql, threadId: string, seq: number): Job<{ chunks: number; terms: number }> {
  return sumOf(yield* deleteChunks(sql, 'thread_id = ? AND seq = ?', threadId, seq))
}

function* deleteChunks(sql: Sql, which: string, ...values: Value[]): Job<Row[]> {
  const rows = yield* query(`DELETE FROM thread_chunks WHERE ${which} RETURNING id, thread_id, size`, ...values)
  if (sql.backend === 'sqlite') {
    for (const { id = null } of rows) yield* run('DELETE FROM thread_terms WHERE rowid = ?', id)
  }
  return rows
}

function sumOf(chunks: readonly Row[]): { chunks: number; terms: number } {
  return { chunks: chunks.length, terms: chunks.reduce((sum, { size }) => sum + Number(size), 0) }
}
