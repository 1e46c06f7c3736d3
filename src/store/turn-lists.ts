// Lists of turns, newest first, and counts of them. A list reads no input and no options, and of a reply only its beginning.
import { type Door, senderDoors, senderPrefix } from '#core/doors.ts'
import { operator, type UserId, userId } from '#core/ids.ts'
import { textOf } from '#core/item.ts'
import type { CutText, ListedTurn, Page, Which } from '#core/store.ts'
import type { TurnStatus } from '#core/turn.ts'
import { isOperators, lastId, type List, newestReached } from './reachable.ts'
import { itemOf, listColumns, listedTurnOf } from './rows.ts'
import { first, type Job, query, type Row } from './sql.ts'
import { isActive, isCancelled, isCompleted, isFailed, isQueued, isRunning, isWaiting } from './turn-status.ts'
import { dayOf } from './usage-store.ts'

/** Of a longer reply a list shows no more. */
const listedChars = 2_000
/** How much of an item's stored text is read for it: escaped, a character may take six. */
const readChars = 6 * listedChars
/** Enough to tell what an item is. */
const kindChars = 60
/** A count goes no further. */
const maxCounted = 10_000
/** Rows at the end of a turn that its last response stands in. */
const endRows = 8

/**
 * A turn has a status. Nearly all are completed, so a look through a user's turns for any other would go to the very first:
 * the others have indexes that hold only them. What is active in the whole service is so little that it is not kept by user.
 */
const having: Readonly<Record<Exclude<TurnStatus, 'queued'>, string>> = {
  running: `id IN (SELECT id FROM turns WHERE ${isRunning})`,
  waiting: `id IN (SELECT id FROM turns WHERE ${isWaiting})`,
  completed: isCompleted,
  failed: isFailed,
  cancelled: isCancelled,
}

/**
 * The turns that a list is of, newest first; takes who, the cursor and how many. What is queued is looked for by itself: the
 * index that holds only it answers that alone, else all turns of a user would be looked through for it.
 */
function newest(condition: string, status: TurnStatus | undefined): string {
  if (status === 'queued') {
    return `id IN (SELECT id FROM turns WHERE ${condition} AND id < ? AND ${isQueued} AND removed_at IS NULL
                   ORDER BY id DESC LIMIT ?) ORDER BY id DESC`
  }
  return `${condition} AND id < ?${status ? ` AND ${having[status]}` : ''} AND removed_at IS NULL ORDER BY id DESC LIMIT ?`
}

export type TurnsQuery = Which & { readonly limit: number; readonly cursor?: string }

export function* listTurns(user: UserId, { status, of, limit, cursor }: TurnsQuery): Job<Page<ListedTurn>> {
  const rows = yield* newestTurns(user, of, limit + 1, (condition, who) =>
    query(
      `SELECT ${listColumns}, (SELECT substr(i.body, 1, ${readChars}) FROM items i WHERE i.thread_id = turns.thread_id
                               AND i.seq = turns.last_seq AND i.turn_id = turns.id AND turns.${isCompleted}) AS reply,
              (SELECT substr(i.body, 1, ${kindChars}) FROM items i WHERE i.thread_id = turns.thread_id
               AND i.seq = turns.last_seq - 1 AND i.turn_id = turns.id AND turns.${isCompleted}) AS before,
              (SELECT t.title FROM threads t WHERE t.id = turns.thread_id) AS title
       FROM turns WHERE ${newest(condition, status)}`,
      ...who,
      cursor ?? lastId,
      limit + 1,
    ),
  )
  const turns: ListedTurn[] = []
  for (const row of rows.slice(0, limit)) turns.push(yield* withReply(row))
  const last = rows.length > limit ? turns.at(-1) : undefined
  return { rows: turns, ...(last && { nextCursor: last.id }) }
}

/** Of all that a user reaches, or of one whose turns they reach: their own, and for the operator those of a sender. */
function* newestTurns(user: UserId, of: UserId | undefined, limit: number, list: List): Job<Row[]> {
  if (of === undefined) return yield* newestReached(user, 'id', limit, list)
  if (of === user) return yield* list('user_id = ?', [user])
  return user === operator ? yield* list(`user_id = ? AND ${isOperators}`, [of]) : []
}

function* withReply(row: Row): Job<ListedTurn> {
  const turn = listedTurnOf(row)
  const last = String(row['reply'] ?? '')
  const alone = last.startsWith(assistantStart) && !isMadeStart(String(row['before'] ?? ''))
  const reply = alone || last === '' ? partOf(last) : yield* joinedReply(turn)
  return { ...turn, title: String(row['title'] ?? ''), ...(reply && { reply }) }
}

/** The texts of the last response as one, where it has other parts than one text: as a job alone shows it. */
function* joinedReply({ id, threadId, lastSeq = 0 }: ListedTurn): Job<CutText | undefined> {
  const rows = yield* query(
    `SELECT substr(body, 1, ${readChars}) AS body FROM items
     WHERE thread_id = ? AND seq > ? AND seq <= ? AND turn_id = ? ORDER BY seq DESC`,
    threadId,
    lastSeq - endRows,
    lastSeq,
    id,
  )
  const parts: CutText[] = []
  for (const { body } of rows) {
    const part = partOf(String(body))
    if (part) parts.unshift(part)
    else if (parts.length > 0 && !isMadeStart(String(body))) break
  }
  const [first] = parts
  if (!first) return undefined
  const until = parts.findIndex(({ cut }) => cut)
  const shown = until < 0 ? parts : parts.slice(0, until + 1)
  return cutText(shown.map(({ text }) => text).join('\n\n'), until >= 0)
}

/** True where something begins that a model makes. */
function isMadeStart(body: string): boolean {
  return body.startsWith(assistantStart) || body.startsWith('{"type":"reasoning"') || body.startsWith('{"type":"call"')
}

const assistantStart = '{"type":"message","role":"assistant"'
/** How the text of a message that the model wrote begins in the store. */
const replyStart = '{"type":"message","role":"assistant","content":[{"type":"text","text":"'
const wholeCharacters = /^(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/

/** The beginning of a reply, from the beginning of its stored text. */
function partOf(body: string): CutText | undefined {
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
  if (text.length <= listedChars) return { text, cut: more }
  // Half a character is none.
  return { text: text.slice(0, listedChars).replace(/[\uD800-\uDBFF]$/, ''), cut: true }
}

/** How many turns a user reaches, of a status or of all; beyond `maxCounted` nobody needs the number. */
export function* countAllTurns(user: UserId, { status, of }: Which): Job<number> {
  // Each list that a user reaches is one row here.
  const rows = yield* newestTurns(user, of, 2, (condition, who) =>
    query(
      `SELECT count(*) AS n FROM (SELECT 1 FROM turns WHERE ${newest(condition, status)}) AS counted`,
      ...who,
      lastId,
      maxCounted,
    ),
  )
  const sum = rows.reduce((all, row) => all + Number(row['n']), 0)
  return Math.min(sum, maxCounted)
}

/** Senders without an account, of each door. */
export function* listSenders(limit: number): Job<UserId[]> {
  const senders: UserId[] = []
  for (const door of senderDoors) senders.push(...(yield* sendersOf(door, limit)))
  return senders.slice(0, limit)
}

/** From one sender of a door to the next, past whatever each of them has sent. */
function* sendersOf(door: Door, limit: number): Job<UserId[]> {
  const begin = senderPrefix(door)
  // What sorts behind every id that begins so: the last character made one higher.
  const end = begin.slice(0, -1) + String.fromCharCode(begin.charCodeAt(begin.length - 1) + 1)
  const rows = yield* query(
    `WITH RECURSIVE senders (user_id) AS (
       SELECT min(user_id) FROM turns WHERE user_id > ? AND user_id < ?
       UNION ALL
       SELECT (SELECT min(user_id) FROM turns WHERE user_id > s.user_id AND user_id < ?)
       FROM senders s WHERE s.user_id IS NOT NULL
     )
     SELECT user_id FROM senders WHERE user_id IS NOT NULL LIMIT ?`,
    begin,
    end,
    end,
    limit,
  )
  return rows.map((row) => userId(String(row['user_id'])))
}

export function* countTurns(user: UserId | undefined, now: number) {
  const [ofUser, who] = user === undefined ? ['', []] : [' AND user_id = ?', [user]]
  // All that is active is less than all that a user has ever sent: `user_id` alone would bring the index of the latter.
  const active = yield* query(
    `SELECT status, count(*) AS n FROM turns WHERE ${isActive}${ofUser.replace('user_id', `user_id || ''`)} GROUP BY status`,
    ...who,
  )
  const queued = yield* first(`SELECT count(*) AS n FROM turns WHERE ${isQueued}${ofUser}`, ...who)
  const of = (status: TurnStatus): number => Number(active.find((row) => row['status'] === status)?.['n'] ?? 0)
  const cost = yield* first(`SELECT sum(cost_usd) AS usd FROM usage WHERE day = ?${ofUser}`, dayOf(now), ...who)
  return {
    queued: Number(queued?.['n'] ?? 0),
    running: of('running'),
    waiting: of('waiting'),
    costTodayUsd: Number(cost?.['usd'] ?? 0),
  }
}
