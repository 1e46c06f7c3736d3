// Lists of turns, newest first, and counts. A list reads no options, and only the beginnings of a message and its reply.
import { type Door, senderDoors, senderPrefix } from '#core/doors.ts'
import { operator, type UserId, userId } from '#core/ids.ts'
import { textOf } from '#core/item.ts'
import { maxCountedJobs } from '#core/page-limits.ts'
import type { CutText, ListedTurn, TurnFilter } from '#core/turn-store.ts'
import type { Page, PageQuery } from '#core/page.ts'
import type { TurnStatus } from '#core/turn-status.ts'
import { pace } from '#lib/pace.ts'
import { lastId, pageOf } from './list-page.ts'
import { isListed, isOperatorReached, type List, newestReached } from './reachable.ts'
import { readApart } from './long-rows.ts'
import { bodyBytes, itemOf, listColumns, listedTurnOf, wholeBody, wholeItems } from './rows.ts'
import { first, type Job, query, type Row, type Sql } from './sql.ts'
import { openingColumn, openingIn } from './turn-opening.ts'
import { isActive, isCancelled, isCompleted, isFailed, isNews, isQueued, isRunning, isWaiting } from './turn-status.ts'
import { costOfDay } from './usage-store.ts'

/** Replies in a list are truncated to this many characters. */
const maxReplyChars = 2_000
/** Characters of an item's JSON that are read for it: an escaped character may take six. */
const readChars = 6 * maxReplyChars
/** Larger items are read by themselves: SQLite reads a whole value to cut it. */
const maxShortBytes = 32 * 1024
/** The beginning of an item's JSON. */
const beginning = `substr(${wholeBody}, 1, ${readChars})`
const shortBeginning = `CASE WHEN ${bodyBytes} <= ${maxShortBytes} THEN ${beginning} END`
/** Not null for the first item of a response, unless it is long: `asked` is stored behind the body. */
const shortStart = `CASE WHEN ${bodyBytes} <= ${maxShortBytes} THEN substr(asked, 1, 1) END`
/** Rows at the end of a turn that are searched for its last response. */
const endRows = 8

/**
 * Conditions on a status. Nearly all turns are completed, so a search of a user's turns for another status could walk all of
 * them: the other statuses have partial indexes.
 */
const statusConditions = {
  waiting: isWaiting,
  completed: isCompleted,
  failed: isFailed,
  cancelled: isCancelled,
} as const

/**
 * The WHERE clause of a list, newest first. Its parameters are those of `condition`, the cursor and the limit. Queued turns
 * are found by a subquery with their partial index; else all turns of a user would be searched. The plus sign keeps SQLite from
 * the index of all turns, where there is one of those with the status.
 */
function newestWhere(condition: string, status: TurnStatus | undefined): string {
  if (status === 'queued') {
    return `id IN (SELECT id FROM turns WHERE ${condition} AND id < ? AND ${isQueued} AND removed_at IS NULL AND +${isListed}
                   ORDER BY id DESC LIMIT ?) ORDER BY id DESC`
  }
  if (status === 'running') {
    // Active turns are so few that their index is not per user: `|| ''` keeps the planner from all turns of the user.
    return `${condition.replace('user_id', `user_id || ''`)} AND +${isListed} AND id < ?
            AND id IN (SELECT id FROM turns WHERE ${isRunning}) AND removed_at IS NULL ORDER BY id DESC LIMIT ?`
  }
  const listed = status === undefined || status === 'completed' ? isListed : `+${isListed}`
  const filter = status ? ` AND ${statusConditions[status]}` : ''
  return `${condition} AND ${listed} AND id < ?${filter} AND removed_at IS NULL ORDER BY id DESC LIMIT ?`
}

type TurnsQuery = TurnFilter & PageQuery

export async function listTurns(sql: Sql, user: UserId, turnsQuery: TurnsQuery): Promise<Page<ListedTurn>> {
  const page = await sql.read(() => pageOfTurns(user, turnsQuery))
  const turns: ListedTurn[] = []
  for (const row of page.rows) {
    const turn = listedTurnOf(row)
    const opening = openingIn(row['opening'])
    const reply = turn.status === 'completed' ? await replyOf(sql, user, turn, row) : undefined
    const title = String(row['title'] ?? '')
    turns.push({ ...turn, title, ...(opening !== undefined && { opening }), ...(reply && { reply }) })
    await pace()
  }
  return { ...page, rows: turns }
}

function* pageOfTurns(user: UserId, { status, of, limit, cursor }: TurnsQuery): Job<Page<Row>> {
  const rows = yield* newestTurns(user, of, limit + 1, (condition, who) =>
    query(
      `SELECT ${listColumns}, (SELECT ${shortBeginning} FROM ${wholeItems}
                               WHERE items.thread_id = turns.thread_id AND items.seq = turns.last_seq
                                 AND items.turn_id = turns.id AND turns.${isCompleted}) AS reply,
              (SELECT ${shortStart} FROM ${wholeItems}
               WHERE items.thread_id = turns.thread_id AND items.seq = turns.last_seq
                 AND items.turn_id = turns.id AND turns.${isCompleted}) AS starts,
              (SELECT t.title FROM threads t WHERE t.id = turns.thread_id) AS title,
              ${openingColumn}
       FROM turns WHERE ${newestWhere(condition, status)}`,
      ...who,
      cursor ?? lastId,
      limit + 1,
    ),
  )
  return pageOf(rows, limit, (row) => row)
}

export function* listEndedAsNews(since: number, limit: number): Job<ListedTurn[]> {
  const rows = yield* query(
    `SELECT ${listColumns} FROM turns WHERE ${isNews} AND ended_at >= ? AND removed_at IS NULL ORDER BY ended_at DESC LIMIT ?`,
    since,
    limit,
  )
  return rows.map(listedTurnOf)
}

/** The newest turns that a user reaches, of all owners or of one: the user, or for the operator also a sender. */
function* newestTurns(user: UserId, of: UserId | undefined, limit: number, list: List): Job<Row[]> {
  if (of === undefined) return yield* newestReached(user, 'id', limit, list)
  if (of === user) return yield* list('user_id = ?', [user])
  return user === operator ? yield* list(`user_id = ? AND ${isOperatorReached}`, [of]) : []
}

/** Most replies are one text, which comes with the row. The others are read by themselves: their items may be long. */
async function replyOf(sql: Sql, user: UserId, turn: ListedTurn, row: Row): Promise<CutText | undefined> {
  const last = String(row['reply'] ?? '')
  if (last.startsWith(assistantStart) && row['starts'] !== null) return replyPart(last)
  const end = await sql.read(() => endOf(turn, shortBeginning))
  const long = end.findIndex(({ body }) => body === null)
  if (long < 0) return joinedReply(end)
  // What stands before a response, such as a picture that was asked about, is not part of it.
  const starts = end[long - 1]?.['starts'] ?? null
  const reply = starts === null ? undefined : joinedReply(end.slice(0, long))
  const bytes = end.reduce((sum, each) => sum + Number(each['bytes']), 0)
  return reply ?? joinedReply(await readApart(sql, () => endOf(turn), { of: user, bytes }))
}

/** The beginnings of the last items of a turn, from the last one on. */
function endOf({ id, threadId, lastSeq = 0 }: ListedTurn, column = beginning): Job<Row[]> {
  return query(
    `SELECT ${bodyBytes} AS bytes, ${column} AS body, ${shortStart} AS starts FROM ${wholeItems}
     WHERE thread_id = ? AND seq BETWEEN ? AND ? AND turn_id = ? ORDER BY seq DESC`,
    threadId,
    lastSeq - endRows + 1,
    lastSeq,
    id,
  )
}

/** The joined texts of a last response, as the page of a single job shows it. */
function joinedReply(rows: readonly Row[]): CutText | undefined {
  const parts: CutText[] = []
  for (const { body } of rows) {
    const part = replyPart(String(body))
    if (part) parts.unshift(part)
    else if (parts.length > 0 && !startsModelMade(String(body))) break
  }
  const [first] = parts
  if (!first) return undefined
  const until = parts.findIndex(({ cut }) => cut)
  const shown = until < 0 ? parts : parts.slice(0, until + 1)
  return cutText(shown.map(({ text }) => text).join('\n\n'), until >= 0)
}

/** True if the JSON of an item that the model makes begins like this. */
function startsModelMade(body: string): boolean {
  return body.startsWith(assistantStart) || body.startsWith('{"type":"reasoning"') || body.startsWith('{"type":"call"')
}

const assistantStart = '{"type":"message","role":"assistant"'
/** The stored JSON of a model's message up to its text. */
const replyStart = '{"type":"message","role":"assistant","content":[{"type":"text","text":"'
const wholeCharacters = /^(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/

/** The beginning of a message's text, from the beginning of its stored JSON; undefined if it is not a model's message. */
function replyPart(body: string): CutText | undefined {
  if (!body.startsWith(assistantStart)) return undefined
  if (body.length < readChars) {
    const item = itemOf({ body })
    return item.type === 'message' ? cutText(textOf(item), false) : undefined
  }
  if (!body.startsWith(replyStart)) return { text: '', cut: true }
  const literal = wholeCharacters.exec(body.slice(replyStart.length))?.[0] ?? ''
  return cutText(JSON.parse(`"${literal}"`) as string, true)
}

function cutText(text: string, more: boolean): CutText {
  if (text.length <= maxReplyChars) return { text, cut: more }
  // Never ends with half of a surrogate pair.
  return { text: text.slice(0, maxReplyChars).replace(/[\uD800-\uDBFF]$/, ''), cut: true }
}

/** The number of turns that a user reaches and that pass the filter, up to `maxCountedJobs`. */
export function* countAllTurns(user: UserId, { status, of }: TurnFilter): Job<number> {
  // One row for each of the lists that are merged, at most two.
  const rows = yield* newestTurns(user, of, 2, (condition, who) =>
    query(
      `SELECT count(*) AS n FROM (SELECT 1 FROM turns WHERE ${newestWhere(condition, status)}) AS counted`,
      ...who,
      lastId,
      maxCountedJobs,
    ),
  )
  const sum = rows.reduce((all, row) => all + Number(row['n']), 0)
  return Math.min(sum, maxCountedJobs)
}

/** Senders without an account, of each door. */
export function* listSenders(limit: number): Job<UserId[]> {
  const senders: UserId[] = []
  for (const door of senderDoors) senders.push(...(yield* sendersOf(door, limit)))
  return senders.slice(0, limit)
}

/** Jumps from one sender of a door to the next, however many turns each has. */
function* sendersOf(door: Door, limit: number): Job<UserId[]> {
  const prefix = senderPrefix(door)
  // Sorts after every id with this prefix: its last character plus one.
  const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
  const rows = yield* query(
    `WITH RECURSIVE senders (user_id) AS (
       SELECT min(user_id) FROM turns WHERE user_id > ? AND user_id < ?
       UNION ALL
       SELECT (SELECT min(user_id) FROM turns WHERE user_id > s.user_id AND user_id < ?)
       FROM senders s WHERE s.user_id IS NOT NULL
     )
     SELECT user_id FROM senders WHERE user_id IS NOT NULL LIMIT ?`,
    prefix,
    end,
    end,
    limit,
  )
  return rows.map((row) => userId(String(row['user_id'])))
}

export function* countTurns(user: UserId | undefined, now: number) {
  const [ofUser, who] = user === undefined ? ['', []] : [' AND user_id = ?', [user]]
  // Active turns are fewer than all turns of a user: `|| ''` keeps the planner from the index on `user_id`.
  const ofThem = ofUser.replace('user_id', `user_id || ''`)
  // Thousands may wait: what waits is counted in an index alone, and so is what is active of all users.
  const row = yield* first(
    `SELECT (SELECT count(*) FROM turns WHERE ${isActive}${ofThem}) AS active,
            (SELECT count(*) FROM turns WHERE ${isWaiting}${ofUser}) AS waiting,
            (SELECT count(*) FROM turns WHERE ${isQueued}${ofUser}) AS queued`,
    ...who,
    ...who,
    ...who,
  )
  const [active, waiting, queued] = [Number(row?.['active']), Number(row?.['waiting']), Number(row?.['queued'])]
  return { queued, running: active - waiting, waiting, costToday: yield* costOfDay(user, now) }
}
