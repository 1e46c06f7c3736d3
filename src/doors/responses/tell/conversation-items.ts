// Pages of a thread's items as its client knows them: messages, calls of the caller's functions, and their outputs.
import { wrongField } from '#core/errors.ts'
import { hexOf, uuidOf, type UserId } from '#core/ids.ts'
import { type Entry, isRemoved } from '#core/item.ts'
import { roughChars } from '#core/json-slices.ts'
import type { Thread, Turn } from '#core/turn.ts'
import { inputCount } from '#doors/openai/turn-events.ts'
import { pace } from '#lib/pace.ts'
import type { Threads } from '#turns/threads.ts'
import type { Turns } from '#turns/turns.ts'
import { inputItem } from './input-item.ts'
import { outputItem } from './output.ts'
import type { PageQuery } from './page-query.ts'

/** Headers of one read. Most entries may be calls and results of our own, which are not shown and not read. */
const maxRead = 64
/** A page ends where its items have about so many characters of JSON. */
const maxPageChars = 8 * 1024 * 1024

export type ItemParts = {
  readonly threads: Pick<Threads, 'entries' | 'findItems' | 'headers'>
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
  const first = order === 'asc' ? 0 : thread.lastSeq + 1
  let from = after === undefined ? first : await seqOf(parts, thread, user, after)
  const known = new Map<string, Turn | undefined>()
  const items: WireItem[] = []
  let chars = 0
  for (;;) {
    const headers = await parts.threads.headers(user, thread.id, { order, from, limit: maxRead })
    for (const header of headers) {
      from = header.seq
      if (!known.has(header.turnId)) known.set(header.turnId, await parts.turns.get(user, header.turnId))
      const turn = known.get(header.turnId)
      if (from > thread.lastSeq || !wireItem(header, thread.id, turn)) continue
      if (items.length === size) return { items, more: true }
      const range = { after: from - 1, upTo: from, limit: 1 }
      const [entry] = (await parts.threads.entries(user, thread.id, range)).entries
      const item = entry && !isRemoved(entry.item) ? wireItem(entry, thread.id, turn) : undefined
      if (!item) continue
      chars += roughChars(item, maxPageChars)
      if (chars > maxPageChars && items.length > 0) return { items, more: true }
      items.push(item)
    }
    if (headers.length < maxRead) return { items, more: false }
    await pace()
  }
}

/**
 * The input and the answer of a turn, without the service's own calls. Items that a conversation was made
 * with are input. The turn of an entry may be gone: calls and results of such a turn are left out.
 */
function wireItem(entry: Entry, threadId: string, turn: Turn | undefined): WireItem | undefined {
  const seen = { threadId, options: turn?.options ?? {} }
  const { type } = entry.item
  const given = turn?.firstSeq === undefined ? entry.turnId === threadId : entry.seq < turn.firstSeq + inputCount(turn)
  const isPlain = type === 'message' || (type === 'answer' && entry.item.decision === 'output')
  return given || isPlain ? inputItem(entry, seen) : outputItem(entry, seen)
}

/** Undefined if the thread has no such item that its client knows. */
export async function readConversationItem(
  parts: ItemParts,
  thread: Pick<Thread, 'id'>,
  user: UserId,
  id: string,
): Promise<WireItem | undefined> {
  const entry = await findEntry(parts, thread, user, id)
  if (!entry || isRemoved(entry.item)) return undefined
  return wireItem(entry, thread.id, await parts.turns.get(user, entry.turnId))
}

/** The id of an item in the store; undefined if its id on the wire is of another thread, or none. */
export function entryIdOf(thread: Pick<Thread, 'id'>, id: string): string | undefined {
  const match = /^(?:msg|fc)_([0-9a-f]{32})([0-9a-f]{32})$/.exec(id)
  return match?.[2] === hexOf(thread.id) ? uuidOf(match[1] ?? '') : undefined
}

async function seqOf(parts: ItemParts, thread: Pick<Thread, 'id'>, user: UserId, id: string): Promise<number> {
  const entry = await findEntry(parts, thread, user, id)
  if (!entry) throw wrongField('after', 'names no item of this conversation')
  return entry.seq
}

async function findEntry(
  { threads }: ItemParts,
  thread: Pick<Thread, 'id'>,
  user: UserId,
  id: string,
): Promise<Entry | undefined> {
  const itemId = entryIdOf(thread, id)
  const [entry] = itemId === undefined ? [] : await threads.findItems(user, [{ threadId: thread.id, itemId }])
  return entry
}
