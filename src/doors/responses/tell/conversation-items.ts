// Pages of a thread's items as its client knows them: messages, calls of the caller's functions, and their outputs.
import { hexOf, uuidOf, type UserId } from '#core/ids.ts'
import type { Entry } from '#core/item.ts'
import type { Thread, Turn } from '#core/turn.ts'
import { wrongField } from '#http/validate.ts'
import type { Threads } from '#turns/threads.ts'
import type { Turns } from '#turns/turns.ts'
import { inputItem } from './input-item.ts'
import { inputCount, outputItem } from './output.ts'
import type { PageQuery } from './page-query.ts'

/** Entries of one read. */
const maxRead = 64
/** A page ends where its items have more characters of JSON. */
const maxPageChars = 8 * 1024 * 1024

export type ItemParts = {
  readonly threads: Pick<Threads, 'entries' | 'findItems'>
  readonly turns: Pick<Turns, 'get'>
}

type WireItem = NonNullable<ReturnType<typeof inputItem> | ReturnType<typeof outputItem>>

/** Throws invalid_input where `after` names no item of the thread. */
export async function readConversationItems(
  parts: ItemParts,
  thread: Pick<Thread, 'id' | 'lastSeq'>,
  user: UserId,
  { order, after, size }: PageQuery,
): Promise<{ readonly items: readonly WireItem[]; readonly more: boolean }> {
  const from = after === undefined ? undefined : await seqOf(parts, thread, user, after)
  const read = (range: { after: number; upTo: number }) =>
    parts.threads.entries(user, thread.id, { ...range, limit: maxRead })
  const entries =
    order === 'asc' ? oldestFirst(read, from ?? 0, thread.lastSeq) : newestFirst(read, (from ?? thread.lastSeq + 1) - 1)
  const known = new Map<string, Turn | undefined>()
  const items: WireItem[] = []
  let chars = 0
  for await (const entry of entries) {
    if (!known.has(entry.turnId)) known.set(entry.turnId, await parts.turns.get(user, entry.turnId))
    const item = wireItem(entry, thread.id, known.get(entry.turnId))
    if (!item) continue
    chars += JSON.stringify(item).length
    if (items.length === size || (chars > maxPageChars && items.length > 0)) return { items, more: true }
    items.push(item)
  }
  return { items, more: false }
}

/**
 * What a turn was sent, and what it answered; the service's own calls are no part of it. Items that a conversation was made
 * with are input. The turn of an entry may be gone: calls and results of such a turn are left out.
 */
function wireItem(entry: Entry, threadId: string, turn: Turn | undefined): WireItem | undefined {
  const seen = { threadId, options: turn?.options ?? {} }
  const { type } = entry.item
  const given = turn?.firstSeq === undefined ? entry.turnId === threadId : entry.seq < turn.firstSeq + inputCount(turn)
  const isPlain = type === 'message' || (type === 'answer' && entry.item.decision === 'output')
  return given || isPlain ? inputItem(entry, seen) : outputItem(entry, seen)
}

type Read = (range: { after: number; upTo: number }) => ReturnType<Threads['entries']>

async function* oldestFirst(read: Read, after: number, upTo: number): AsyncGenerator<Entry> {
  for (let from = after; from < upTo; ) {
    const { entries } = await read({ after: from, upTo })
    yield* entries
    const last = entries.at(-1)
    if (!last) return
    from = last.seq
  }
}

/** A read returns the oldest entries of its range, up to a number of bytes: a range that is too large is halved. */
async function* newestFirst(read: Read, upTo: number): AsyncGenerator<Entry> {
  let size = maxRead
  for (let end = upTo; end > 0; ) {
    const after = Math.max(0, end - size)
    const { entries, more } = await read({ after, upTo: end })
    if (more && size > 1) size = Math.ceil(size / 2)
    else {
      yield* entries.toReversed()
      end = after
    }
  }
}

async function seqOf({ threads }: ItemParts, thread: Pick<Thread, 'id'>, user: UserId, id: string): Promise<number> {
  const match = /^(?:msg|fc)_([0-9a-f]{32})([0-9a-f]{32})$/.exec(id)
  const itemId = match?.[2] === hexOf(thread.id) ? uuidOf(match[1] ?? '') : undefined
  const [entry] = itemId === undefined ? [] : await threads.findItems(user, [{ threadId: thread.id, itemId }])
  if (!entry) throw wrongField('after', 'names no item of this conversation')
  return entry.seq
}
