// Item headers: the type of an item and its call, without its texts, which may be megabytes each.
import { isModelMade } from '#core/calls.ts'
import { type Answer, type Entry, type Gate, isUserMessage, type Item, type Message } from '#core/item.ts'
import { charCount } from '#core/json.ts'
import type { HeaderRange } from '#core/thread-store.ts'
import { entryColumns, itemOf, wholeItems } from './rows.ts'
import { first, type Job, query, type Row } from './sql.ts'

/** An item whose texts were left out. */
export type ItemHeader = { readonly item: Item; readonly seq: number; readonly at: number }
export type GateHeader = ItemHeader & { readonly turnId: string }

/** Characters of an item that are read for its header. An item whose header is longer is read whole. */
export const headerChars = 300
/** Rows of the first read and of any later one, which has twice as many as the one before. */
const firstPageRows = 2
const maxPageRows = 32
/** Rows that are searched for open calls: more than one model response can have. */
const maxTailRows = 1_000

const headerPattern =
  /^\{"type":"(?:(message)","role":"(user|assistant)"|(reasoning|summary)"|(call|attempt|result)","callId":"([\w-]+)"|(gate)","callId":"([\w-]+)","kind":"(\w+)"(?:,"(held)":true)?|(answer)","callId":"([\w-]+)","decision":"(\w+)")/

const columns = `thread_id, seq, at, substr(body, 1, ${headerChars}) AS body`

/**
 * The end of a thread in order, back to the latest user message or the start of the latest model response: open calls are
 * only there. It is read in growing pages: SQLite reads each item whole, and those before the end may be pictures.
 */
export function* readTail(threadId: string): Job<ItemHeader[]> {
  const found: ItemHeader[] = []
  let before = Number.MAX_SAFE_INTEGER
  for (let pageRows = firstPageRows; found.length < maxTailRows; pageRows = Math.min(2 * pageRows, maxPageRows)) {
    const rows = yield* query(
      `SELECT ${columns} FROM items WHERE thread_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
      threadId,
      before,
      pageRows,
    )
    for (const row of rows) {
      const header = yield* headerIn(row)
      const next = found.at(-1)
      found.push(header)
      const starts = isUserMessage(header.item) || (next && isModelMade(next.item) && !isModelMade(header.item))
      if (starts) return found.toReversed()
    }
    if (rows.length < pageRows) break
    before = found.at(-1)?.seq ?? 0
  }
  return found.toReversed()
}

/** The items of that end. */
export function* readTailItems(threadId: string): Job<Item[]> {
  return (yield* readTail(threadId)).map(({ item }) => item)
}

/** Gates of a thread and their answers, in a range of seqs. No other stored item begins like these patterns. */
export function* readGateHeaders(threadId: string, from: number, through = Number.MAX_SAFE_INTEGER): Job<GateHeader[]> {
  const rows = yield* query(
    `SELECT turn_id, ${columns} FROM items WHERE thread_id = ? AND seq >= ? AND seq <= ?
       AND (body LIKE '{"type":"gate",%' OR body LIKE '{"type":"answer",%') ORDER BY seq`,
    threadId,
    from,
    through,
  )
  const headers: GateHeader[] = []
  for (const row of rows) headers.push({ ...(yield* headerIn(row)), turnId: String(row['turn_id']) })
  return headers
}

/** True if a call of a thread has, or had, a gate for people. No row but this one is passed on: there may be thousands of gates. */
export function* hasGate(threadId: string, callId: string): Job<boolean> {
  const begins = `{"type":"gate","callId":${JSON.stringify(callId)},"kind":"`
  // The database counts characters, not UTF-16 units.
  const chars = charCount(begins)
  const gate = yield* first(
    `SELECT 1 AS one FROM items WHERE thread_id = ? AND substr(body, 1, ?) = ? AND substr(body, ?, 6) <> 'output' LIMIT 1`,
    threadId,
    chars,
    begins,
    chars + 1,
  )
  return gate !== undefined
}

/** The headers of a range of a thread. */
export function* readHeaders(threadId: string, range: HeaderRange): Job<Entry[]> {
  const rows = yield* query(`SELECT id, turn_id, ${columns} ${within(range)}`, threadId, range.from, range.limit)
  const headers: Entry[] = []
  for (const row of rows) {
    headers.push({ ...(yield* headerIn(row)), id: String(row['id']), turnId: String(row['turn_id']) })
  }
  return headers
}

/** The size of the items in a range: SQLite reads each item whole to find its header. */
export function* bytesOfHeaders(threadId: string, range: HeaderRange): Job<number> {
  const rows = yield* query(`SELECT octet_length(body) AS bytes ${within(range)}`, threadId, range.from, range.limit)
  return rows.reduce((sum, { bytes }) => sum + Number(bytes), 0)
}

function within({ order }: HeaderRange): string {
  const next = order === 'asc' ? 'seq > ? ORDER BY seq' : 'seq < ? ORDER BY seq DESC'
  return `FROM items WHERE thread_id = ? AND ${next} LIMIT ?`
}

function* headerIn(row: Row): Job<ItemHeader> {
  const { thread_id: threadId = null, seq = null } = row
  const item = headerOf(String(row['body'])) ?? itemOf((yield* readItemRow(String(threadId), Number(seq))) ?? row)
  return { item, seq: Number(seq), at: Number(row['at']) }
}

/** The whole row of one item. */
export function readItemRow(threadId: string, seq: number): Job<Row | undefined> {
  return first(`SELECT ${entryColumns} FROM ${wholeItems} WHERE thread_id = ? AND seq = ?`, threadId, seq)
}

/** Parses an item without its texts from the beginning of its JSON; undefined if the beginning is not enough. */
function headerOf(text: string): Item | undefined {
  const [, message, role, plain, call, callId = '', gate, gateId = '', kind, held, answer, answerId = '', decision] =
    headerPattern.exec(text) ?? []
  if (message) return { type: 'message', role: role as Message['role'], content: [] }
  if (plain) return plain === 'summary' ? { type: plain, text: '', upTo: 0 } : { type: 'reasoning', text: '' }
  if (call === 'call') return { type: call, callId, name: '', args: '' }
  if (call === 'attempt') return { type: call, callId }
  if (call === 'result') return { type: call, callId, output: '' }
  if (gate) {
    const head = { type: 'gate', callId: gateId, kind: kind as Gate['kind'] } as const
    return { ...head, ...(held && { held: true }), name: '', args: '', prompt: '' }
  }
  return answer ? { type: 'answer', callId: answerId, decision: decision as Answer['decision'], by: '' } : undefined
}
