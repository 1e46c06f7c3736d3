// The digest of a turn's entries, computed in the transaction that ends the turn.
import { createDigest, type Digest, digestOf } from '#core/digest.ts'
import type { Entry } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import { inPace } from '#lib/pace.ts'
import type { Job } from './sql.ts'
import { readRange } from './thread-range.ts'

const pageRows = 500

type Known = {
  readonly earlier?: readonly Entry[] | undefined
  /** The digest of `earlier`, when it is made already. */
  readonly before?: Digest | undefined
}

/** Adds long entries to a digest, with pauses for the event loop. */
export async function digestInPace(entries: readonly Entry[], digest = createDigest()): Promise<Digest> {
  await inPace(digest.addInSlices(entries))
  return digest
}

/** Null if the turn has no entries. If `earlier` and `last` are all its entries, nothing is read. */
export function* digestOfTurn(
  { id, threadId, firstSeq }: Turn,
  last: readonly Entry[],
  { earlier = [], before }: Known = {},
): Job<string | null> {
  if (firstSeq === undefined) return null
  const known = [...earlier, ...last]
  const whole = last.length > 0 && earlier.length > 0 && known.every(({ seq }, at) => seq === firstSeq + at)
  if (whole) {
    if (!before) return digestOf(known)
    const digest = before.copy()
    digest.add(last)
    return digest.hex()
  }
  const digest = createDigest()
  let after = firstSeq - 1
  for (;;) {
    const { entries, more } = yield* readRange(threadId, { after, limit: pageRows, recorded: true })
    const own = entries.filter(({ turnId }) => turnId === id)
    digest.add(own)
    after = entries.at(-1)?.seq ?? after
    if (!more) return digest.hex()
  }
}
