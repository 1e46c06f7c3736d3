// Threads and their items.
import type { UserId } from '#core/ids.ts'
import type { ThreadStore } from '#core/thread-store.ts'
import { createPending } from '#lib/pending.ts'
import { bodiesOf } from './append-items.ts'
import { addPointsAtEnd, findPoint, readChainEnd } from './chain-points.ts'
import { addItems, removeItem } from './conversation-items.ts'
import { createThread, setMetadata } from './create-thread.ts'
import { erasePast, eraseRemoved, eraseSome, eraseTemporary, removedBytes, removeThread } from './erase.ts'
import { forkThread, shareAll } from './fork-thread.ts'
import { bytesOfHeaders, readHeaders } from './item-headers.ts'
import { keepThread } from './keep-thread.ts'
import { minLongBytes, readApart } from './long-rows.ts'
import { isReached } from './reachable.ts'
import { readSaidIn } from './read-said.ts'
import { entryOf, itemOf, recordedEntryOf, threadColumns, threadOf, wholeBody } from './rows.ts'
import { changes, first, run } from './sql.ts'
import { listThreads, shelve } from './thread-lists.ts'
import { findItems, planRange, readQueuedApart, readRangeApart } from './thread-range.ts'
import { readFamily, showVariant } from './thread-variants.ts'
import type { StoreBase } from './store-base.ts'

/** Bounds of one part of a history. */
const historyRows = 5_000
const historyBytes = 4 * 1024 * 1024

export function createThreadStore({
  sql,
  now,
  nextId,
  maxForkBytes,
  maxUserBytes = 0,
}: Omit<StoreBase, 'seal'>): ThreadStore {
  /** Points that are being added: a client which stops an answer and goes on is as quick as the database. */
  const adding = createPending<UserId>()
  return {
    get: (user, threadId) =>
      sql.read(function* () {
        const row = yield* first(
          `SELECT ${threadColumns} FROM threads WHERE id = ? AND ${isReached}`,
          threadId,
          user,
          user,
        )
        return row && threadOf(row)
      }),
    list: (user, query) => sql.read(() => listThreads(user, query)),
    async entries(user, threadId, range) {
      const plan = function* () {
        const owned = yield* first(`SELECT id FROM threads WHERE id = ? AND ${isReached}`, threadId, user, user)
        return owned ? yield* planRange(threadId, range) : undefined
      }
      const { values, more } = await readRangeApart(sql, plan, range.recorded ? recordedEntryOf : entryOf)
      return { entries: values, more }
    },
    async headers(user, threadId, range) {
      const read = () => readHeaders(threadId, range)
      const { bytes, headers } = await sql.read(function* () {
        const owned = yield* first(`SELECT id FROM threads WHERE id = ? AND ${isReached}`, threadId, user, user)
        if (!owned) return { bytes: 0, headers: [] }
        const bytes = yield* bytesOfHeaders(threadId, range)
        return { bytes, headers: bytes < minLongBytes ? yield* read() : undefined }
      })
      return headers ?? readApart(sql, read, { of: user, bytes })
    },
    said: (user, threadId, { after, limit, maxBytes }) =>
      sql.read(function* () {
        const thread = yield* first(`SELECT last_seq FROM threads WHERE id = ? AND ${isReached}`, threadId, user, user)
        const lastSeq = Number(thread?.['last_seq'] ?? 0)
        if (after >= lastSeq) return { messages: [], through: after, more: false }
        const upTo = Math.min(lastSeq, after + limit)
        const { messages, through } = yield* readSaidIn(threadId, { after, upTo, maxMessages: limit, maxBytes })
        return { messages, through, more: through < lastSeq }
      }),
    queued: (user, threadId, bounds) => readQueuedApart(sql, user, threadId, bounds),
    findItems: (user, refs) => sql.read(() => findItems(user, refs)),
    findByOpenCall: (user, callId) =>
      sql.read(function* () {
        const row = yield* first(
          `SELECT ${threadColumns} FROM threads WHERE open_call = ? AND user_id = ?`,
          callId,
          user,
        )
        return row && threadOf(row)
      }),
    async findByChain(user, hashes) {
      await adding.ended(user)
      return sql.read(() => findPoint(user, hashes))
    },
    chainEnd: (user, threadId) => sql.read(() => readChainEnd(user, threadId)),
    addChainPoints: (user, points) =>
      adding.track(
        user,
        sql.write(() => addPointsAtEnd(user, points)),
      ),
    async history({ threadId, firstSeq = 1 }, afterSeq) {
      const plan = function* () {
        const row = afterSeq === undefined && (yield* first('SELECT summarised FROM threads WHERE id = ?', threadId))
        const after = afterSeq ?? Math.min(row ? Number(row['summarised']) : 0, firstSeq - 1)
        return yield* planRange(threadId, { after, limit: historyRows, maxBytes: historyBytes })
      }
      const { after, values: items, more } = await readRangeApart(sql, plan, itemOf, `${wholeBody} AS body`)
      return { after, items, more }
    },
    async create(user, thread) {
      const bodies = await bodiesOf(thread.drafts)
      return sql.write(() => createThread(user, thread, { id: nextId(), now: now(), bodies, maxUserBytes }), bodies)
    },
    async addItems(user, threadId, { title, drafts }) {
      const bodies = await bodiesOf(drafts)
      const parts = { now: now(), lock: sql.lock, bodies, maxUserBytes }
      return sql.write(() => addItems(user, threadId, { title, drafts }, parts), bodies)
    },
    removeItem: (user, item) => sql.write(() => removeItem(sql, user, item)),
    setMetadata: (user, threadId, metadata) => sql.write(() => setMetadata(user, threadId, metadata)),
    setModel: (user, threadId, model) =>
      sql.write(function* () {
        const change = `UPDATE threads SET model = ? WHERE id = ? AND ${isReached}`
        return (yield* changes(change, model, threadId, user, user)) > 0
      }),
    shelve: (user, threadId, where) =>
      sql.write(() => shelve(user, threadId, { ...where, now: now(), lock: sql.lock })),
    rename: (user, threadId, title, from) =>
      sql.write(function* () {
        const had = from === undefined ? '' : ' AND title = ?'
        const values = [threadId, user, user, ...(from === undefined ? [] : [from])]
        const rename = `UPDATE threads SET title = ? WHERE id = ? AND ${isReached}${had} RETURNING family`
        const row = yield* first(rename, title, ...values)
        if (row && from === undefined) yield* keepThread(threadId)
        if (row?.['family']) yield* run('UPDATE threads SET title = ? WHERE family = ?', title, String(row['family']))
        return row !== undefined
      }),
    show: (user, threadId) => sql.write(() => showVariant(user, threadId, sql.lock)),
    family: (user, family) => sql.read(() => readFamily(user, family)),
    async fork(user, threadId, at) {
      const size = await shareAll(sql, user, { threadId, beforeSeq: at.beforeSeq })
      const parts = { ...at, threadId, lock: sql.lock, maxBytes: maxForkBytes, maxUserBytes }
      return sql.write(() => forkThread(user, { ...parts, id: nextId(), now: now() }), size)
    },
    async remove(user, threadId) {
      const bytes = await sql.read(() => removedBytes(threadId))
      return sql.write(() => removeThread(user, threadId, sql.lock), { bytes })
    },
    eraseRemoved: () => sql.write(() => eraseRemoved(sql.lock)),
    eraseTemporary: (before) => sql.write(() => eraseTemporary(before, sql.lock)),
    erasePast: (before, how) => sql.write(() => erasePast(before, { ...how, lock: sql.lock })),
    eraseSome: (user) => sql.write(() => eraseSome(user, sql.lock)),
  }
}
