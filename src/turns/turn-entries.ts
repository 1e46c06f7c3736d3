// The entries of one turn: page by page, or all of them as far as one answer can hold them.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Entry } from '#core/item.ts'
import type { Store, EntryRange } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'

const pageRows = 500
const pageBytes = 4 * 1024 * 1024
/** An answer that was made of more would hold the service up. */
const maxTurnBytes = 64 * 1024 * 1024

type Read = Pick<Store, 'threads'>
type OfTurn = Pick<Turn, 'id' | 'threadId' | 'firstSeq' | 'lastSeq'>

/** The whole turn, a bounded part at a time; others have their turn in between. */
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

/** All of them. Throws too_large where they are too much for one answer: a part would look like the whole. */
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

/** About as many bytes as an item's texts have. */
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

/** An entry without what was said: what nobody looks at need not be held. */
export function withoutTexts(entry: Entry): Entry {
  const { item } = entry
  if (item.type === 'message') return { ...entry, item: { ...item, content: [] } }
  if (item.type === 'result') return { ...entry, item: { ...item, output: '' } }
  if (item.type === 'call') return { ...entry, item: { ...item, args: '' } }
  if (item.type === 'reasoning') return { ...entry, item: { ...item, text: '' } }
  return entry
}
