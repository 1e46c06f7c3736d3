// The digest of a turn's entries. The transaction that ends the turn makes it, unless they are long: they are then read and
// digested before, so that the event loop goes on meanwhile.
import { createDigest, type Digest, digestOf } from '#core/digest.ts'
import type { Entry } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import { inPace } from '#lib/pace.ts'
import { minLongBytes } from './long-rows.ts'
import { recordedEntryOf } from './rows.ts'
import type { Job, Sql } from './sql.ts'
import { planRange, readPlanned, readRangeApart } from './thread-range.ts'

const pageRows = 500

/** A digest of a turn's stored entries up to a seq. */
export type ReadDigest = { readonly digest: Digest; readonly upTo: number }

type Known = {
  readonly earlier?: readonly Entry[] | undefined
  /** The digest of `earlier`, when it is made already. */
  readonly before?: Digest | undefined
  /** What `readDigest` has read. */
  readonly read?: ReadDigest | undefined
  /** The last seq of the thread. Default: what is stored is read. */
  readonly lastSeq?: number | undefined
}

/** The entries of a turn before its last step, or their digest. */
export type Begun = { readonly entries: readonly Entry[] } | { readonly digest: Digest }

/** Adds long entries to a digest, with pauses for the event loop. */
export async function digestInPace(entries: readonly Entry[], digest = createDigest()): Promise<Digest> {
  await inPace(digest.addInSlices(entries))
  return digest
}

/**
 * If `earlier` are all entries of the turn that are stored, nothing is read. Undefined if so much has to be read that it
 * would block the event loop: call `readDigest` and try again. Call before anything is written.
 */
export function* beginDigest({ id, threadId, firstSeq }: Turn, known: Known = {}): Job<Begun | undefined> {
  const { earlier = [], before, read, lastSeq } = known
  if (firstSeq === undefined) return { entries: [] }
  const isWhole = earlier.length > 0 && earlier.at(-1)?.seq === lastSeq
  if (isWhole && earlier.every(({ seq }, at) => seq === firstSeq + at)) {
    return before ? { digest: before.copy() } : { entries: earlier }
  }
  const after = read?.upTo ?? firstSeq - 1
  const planned = yield* planRange(threadId, { after, limit: pageRows, maxBytes: minLongBytes })
  if (planned.more || planned.bytes > minLongBytes) return undefined
  const digest = read ? read.digest.copy() : createDigest()
  const rows = yield* readPlanned(planned)
  digest.add(rows.map((row) => recordedEntryOf(row)).filter(({ turnId }) => turnId === id))
  return { digest }
}

/** The digest of a turn with its last entries. Null if it has no entries. */
export function endDigest({ firstSeq }: Turn, begun: Begun, last: readonly Entry[]): string | null {
  if (firstSeq === undefined) return null
  if ('entries' in begun) return digestOf([...begun.entries, ...last])
  begun.digest.add(last)
  return begun.digest.hex()
}

/** Reads and digests the stored entries of a turn page by page, in the pace of the event loop; those after `read`, if given. */
export async function readDigest(
  sql: Sql,
  { id, threadId, firstSeq = 0 }: Turn,
  read?: ReadDigest,
): Promise<ReadDigest> {
  const digest = read?.digest ?? createDigest()
  let after = read?.upTo ?? firstSeq - 1
  for (;;) {
    const range = { after, limit: pageRows }
    const { values, more } = await readRangeApart(sql, () => planRange(threadId, range), recordedEntryOf)
    const own = values.filter(({ turnId }) => turnId === id)
    await digestInPace(own, digest)
    after = values.at(-1)?.seq ?? after
    if (!more) return { digest, upTo: after }
  }
}
