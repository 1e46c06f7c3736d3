// The entries of one turn: page by page, or all at once up to a size limit.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Entry } from '#core/item.ts'
import type { Store } from '#core/store.ts'
import type { EntryRange } from '#core/thread-store.ts'
import type { Thread, Turn } from '#core/turn.ts'

const pageRows = 500
const pageBytes = 4 * 1024 * 1024
/** A larger response would block the service. */
const maxTurnBytes = 64 * 1024 * 1024

type Read = Pick<Store, 'threads'>
type OfTurn = Pick<Turn, 'id' | 'threadId' | 'firstSeq' | 'lastSeq'>

/** All entries of a turn in pages of bounded size; other work can run between two pages. */
export async function* entryPages(
  { threads }: Read,
  user: UserId,
  turn: OfTurn,
  how: Pick<EntryRange, 'recorded'> = {},
): AsyncGenerator<readonly Entry[]> {
  const { id, threadId, firstSeq, lastSeq: upTo = Number.MAX_SAFE_INTEGER } = turn
  if (firstSeq === undefined) return
  let after = firstSeq - 1
  for (;;) {
    const stretch = { after, upTo, limit: pageRows, maxBytes: pageBytes, ...how }
    const { entries, more } = await threads.entries(user, threadId, stretch)
    yield entries.filter(({ turnId }) => turnId === id)
    const last = entries.at(-1)
    if (!more || !last) return
    after = last.seq
  }
}

/** All entries of a turn. Throws too_large when they exceed the limit, because a part would look like the whole. */
export async function entriesOf(read: Read, user: UserId, turn: OfTurn): Promise<Entry[]> {
  const all: Entry[] = []
  let bytes = 0
  for await (const page of entryPages(read, user, turn)) {
    for (const { item } of page) bytes += weightOf(item)
    if (bytes > maxTurnBytes) {
      const message = `the turn's items have more than ${maxTurnBytes} bytes: read its thread page by page, GET /api/threads/${turn.threadId}`
      throw new AppError('too_large', message)
    }
    all.push(...page)
  }
  return all
}

type Follow = {
  readonly turns: { get(user: UserId, id: string): Promise<Turn | undefined> }
  readonly threads: { get(user: UserId, id: string): Promise<Thread | undefined> }
}

/** The seq before a turn's first item. A queued turn comes after all items of its thread. */
export async function seqBefore({ turns, threads }: Follow, turn: Turn): Promise<number> {
  const { id, userId, threadId, firstSeq } = turn
  if (firstSeq !== undefined) return firstSeq - 1
  // The thread first: if the turn is still queued afterwards, its items come after this lastSeq.
  const thread = await threads.get(userId, threadId)
  const begun = (await turns.get(userId, id))?.firstSeq
  return begun === undefined ? (thread?.lastSeq ?? 0) : begun - 1
}

/** Approximate bytes of an item's texts. */
function weightOf(item: Entry['item']): number {
  switch (item.type) {
    case 'message':
      return item.content.reduce((sum, part) => sum + (part.type === 'image' ? part.url : part.text).length, 0)
    case 'reasoning':
    case 'summary':
      return item.text.length
    case 'call':
    case 'gate':
      return item.args.length
    case 'result':
    case 'answer':
      return item.output?.length ?? 0
    case 'attempt':
      return 0
    default:
      return item satisfies never
  }
}

/** An entry without its texts, to save memory. */
export function withoutTexts(entry: Entry): Entry {
  const { item } = entry
  if (item.type === 'message') return { ...entry, item: { ...item, content: [] } }
  if (item.type === 'result') return { ...entry, item: { ...item, output: '' } }
  if (item.type === 'call') return { ...entry, item: { ...item, args: '' } }
  if (item.type === 'reasoning') return { ...entry, item: { ...item, text: '' } }
  return entry
}
