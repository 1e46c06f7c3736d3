// Points of replay chains that the log alone does not give. A client that stops an answer goes on from the beginning of it
// that it has read.
import { textMessage } from '#core/item.ts'
import { pointInSlices } from '#core/replay-chain.ts'
import type { Turn } from '#core/turn.ts'
import { GrowingText } from '#lib/growing-text.ts'
import { inPace, pace } from '#lib/pace.ts'
import type { Threads } from '#turns/threads.ts'

/** The last pieces of the text, which a client that leaves may not have read. */
const maxUnread = 4

export interface Beginnings {
  /** A piece of the answer was sent. */
  add(text: string): void
  /** All text so far. */
  text(): string
  /** The length of all text so far. */
  length(): number
  /** The text that a client which leaves now may have: all of it, or all but the last few pieces. */
  all(): string[]
}

export function createBeginnings(): Beginnings {
  const sent = new GrowingText()
  /** Where the last pieces of the text end. */
  const ends: number[] = []
  return {
    add(text) {
      sent.add(text)
      ends.push(sent.length)
      if (ends.length > maxUnread) ends.shift()
    },
    text: () => sent.toString(),
    length: () => sent.length,
    all() {
      const text = sent.toString()
      return ends.map((end) => text.slice(0, end))
    },
  }
}

type NoteParts = { readonly threads: Pick<Threads, 'addChainPoints'> }
type Noted = Pick<Turn, 'id' | 'threadId' | 'userId'>

/** Notes what the client of a turn may have of its answer. `history` is the hash of what it sent. Many may leave at once. */
export async function noteBeginnings(
  { threads }: NoteParts,
  { userId, threadId, id: turnId }: Noted,
  { history, beginnings }: { readonly history: string; readonly beginnings: () => readonly string[] },
): Promise<void> {
  const hashes: string[] = []
  await pace()
  for (const content of beginnings()) {
    await pace()
    hashes.push(await inPace(pointInSlices(history, [textMessage('assistant', content)])))
  }
  if (hashes.length > 0) await threads.addChainPoints(userId, { threadId, turnId, hashes })
}

/** Notes an answer that is not in the log as it was told: the history of the client goes on from it all the same. */
export function notePoint(
  parts: NoteParts,
  turn: Noted,
  { history, content }: { readonly history: string; readonly content: string },
): Promise<void> {
  return noteBeginnings(parts, turn, { history, beginnings: () => [content] })
}
