// Items by their heads: what they are and which call they belong to, without their texts, which may be megabytes each.
import { isModelMade } from '#core/calls.ts'
import type { Answer, Gate, Item, Message } from '#core/item.ts'
import { itemOf } from './rows.ts'
import { first, type Job, query, type Row } from './sql.ts'

/** An item whose texts were left out. */
export type ItemHeader = { readonly item: Item; readonly seq: number; readonly at: number }

/** More than the type, the call's id and what follows it take; an item whose head is longer is read whole. */
const headChars = 300
/** Rows of one look back. A model response and what came of it mostly fit. */
const lookRows = 32
/** How far back a look for open calls goes: more than one model response can hold. */
const tailRows = 1_000

const shape =
  /^\{"type":"(?:(message)","role":"(user|assistant)"|(reasoning|summary)"|(call|attempt|result)","callId":"([\w-]+)"|(gate)","callId":"([\w-]+)","kind":"(\w+)"|(answer)","callId":"([\w-]+)","decision":"(\w+)")/

const columns = `thread_id, seq, at, substr(body, 1, ${headChars}) AS body`

/**
 * The end of a thread in its order, back to where the model began to speak last: an open call can stand nowhere else.
 * Read a few rows at a time, since most threads have said it within those.
 */
export function* readTail(threadId: string): Job<ItemHeader[]> {
  const found: ItemHeader[] = []
  let before = Number.MAX_SAFE_INTEGER
  while (found.length < tailRows) {
    const rows = yield* query(
      `SELECT ${columns} FROM items WHERE thread_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
      threadId,
      before,
      lookRows,
    )
    for (const row of rows) {
      const head = yield* headerIn(row)
      const later = found.at(-1)
      found.push(head)
      const begins = isSaid(head.item, 'user') || (later && isModelMade(later.item) && !isModelMade(head.item))
      if (begins) return found.toReversed()
    }
    if (rows.length < lookRows) break
    before = found.at(-1)?.seq ?? 0
  }
  return found.toReversed()
}

/** Gates of a thread and what was said to them, from a seq on. Nothing else begins so in the store. */
export function* readGateHeaders(threadId: string, from: number): Job<ItemHeader[]> {
  const rows = yield* query(
    `SELECT ${columns} FROM items WHERE thread_id = ? AND seq >= ?
       AND (body LIKE '{"type":"gate",%' OR body LIKE '{"type":"answer",%') ORDER BY seq`,
    threadId,
    from,
  )
  const heads: ItemHeader[] = []
  for (const row of rows) heads.push(yield* headerIn(row))
  return heads
}

function* headerIn(row: Row): Job<ItemHeader> {
  const { thread_id: threadId = null, seq = null } = row
  const item = headerOf(String(row['body'])) ?? itemOf((yield* readItemRow(String(threadId), Number(seq))) ?? row)
  return { item, seq: Number(seq), at: Number(row['at']) }
}

/** One item with all that it says. */
export function readItemRow(threadId: string, seq: number): Job<Row | undefined> {
  return first('SELECT * FROM items WHERE thread_id = ? AND seq = ?', threadId, seq)
}

/** An item without its texts, from the beginning of what is stored of it; undefined where that does not tell. */
function headerOf(text: string): Item | undefined {
  const [, message, role, plain, call, callId = '', gate, gateId = '', kind, answer, answerId = '', decision] =
    shape.exec(text) ?? []
  if (message) return { type: 'message', role: role as Message['role'], content: [] }
  if (plain) return plain === 'summary' ? { type: plain, text: '', upTo: 0 } : { type: 'reasoning', text: '' }
  if (call === 'call') return { type: call, callId, name: '', args: '' }
  if (call === 'attempt') return { type: call, callId }
  if (call === 'result') return { type: call, callId, output: '' }
  if (gate) return { type: 'gate', callId: gateId, kind: kind as Gate['kind'], name: '', args: '', prompt: '' }
  return answer ? { type: 'answer', callId: answerId, decision: decision as Answer['decision'], by: '' } : undefined
}

function isSaid(item: Item, role: Message['role']): boolean {
  return item.type === 'message' && item.role === role
}
