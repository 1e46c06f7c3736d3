// What a step with long items stores, made in slices before its transaction: the event loop goes on meanwhile.
import type { Digest } from '#core/digest.ts'
import { isLong } from '#core/json-slices.ts'
import type { Step } from '#core/turn-store.ts'
import { ended } from '#core/turn-status.ts'
import type { Turn } from '#core/turn.ts'
import { bodiesOf, type Bodies } from './append-items.ts'
import { chainAsked, pointInPace } from './chain-points.ts'
import { entriesOf } from './rows.ts'
import { digestInPace } from './turn-digest.ts'

/** Parts of a step that are made already. The transaction makes what is absent. */
export type Prepared = {
  /** The digest of the step's earlier entries. */
  readonly before?: Digest
  readonly long?: LongDrafts
}

type LongDrafts = {
  /** The time of the entries. */
  readonly at: number
  readonly bodies: Bodies
  /** The digest of the ended turn. It holds if the thread's last seq before the step is `lastSeq`. */
  readonly whole?: { readonly hash: string; readonly lastSeq: number }
  /** The point after the answer, as it is stored. */
  readonly point: string | undefined
}

/** Undefined for a step of the usual size. */
export function prepareStep(turn: Turn, step: Step, now: () => number): Promise<Prepared> | undefined {
  const over = step.outcome !== undefined && ended(step.outcome.status)
  const digests = over && step.earlier !== undefined && isLong(step.earlier)
  return digests || isLong(step.drafts) ? prepare(turn, step, { over, now }) : undefined
}

type PrepareParts = { readonly over: boolean; readonly now: () => number }

async function prepare(turn: Turn, step: Step, { over, now }: PrepareParts): Promise<Prepared> {
  const { drafts, earlier = [] } = step
  const before = over && earlier.length > 0 ? await digestInPace(earlier) : undefined
  const made = before && { before }
  if (!isLong(drafts)) return { ...made }
  const at = now()
  const bodies = await bodiesOf(drafts)
  const history = chainAsked(turn, step)
  const point = history === undefined ? undefined : await pointInPace(turn, history, step)
  const { firstSeq } = turn
  const isWhole = earlier.every(({ seq }, index) => seq === (firstSeq ?? 0) + index)
  const lastSeq = earlier.at(-1)?.seq
  if (!before || !isWhole || lastSeq === undefined) return { ...made, long: { at, bodies, point } }
  const digest = await digestInPace(entriesOf(drafts, turn.id, lastSeq, at), before.copy())
  return { ...made, long: { at, bodies, point, whole: { hash: digest.hex(), lastSeq } } }
}
