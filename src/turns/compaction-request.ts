// Compacts a history on request: the model summarises it as in the loop; without a model it is shortened by rule.
import { oneTimeFence, type Summarised, summarise } from '#agent/compact.ts'
import { tokensInText } from '#agent/tokens.ts'
import { createTranscript } from '#agent/transcript.ts'
import type { Door } from '#core/doors.ts'
import type { UserId } from '#core/ids.ts'
import type { Item } from '#core/item.ts'
import type { Model } from '#core/model.ts'
import type { Store } from '#core/store.ts'
import { charsPerToken } from '#core/tokens.ts'
import { noUsage, type Usage } from '#core/turn.ts'
import { pace } from '#lib/pace.ts'
import { taintOf } from '#safety/taint.ts'
import type { Spend } from './spend.ts'
import type { Observer } from './turn-metrics.ts'

const pageSize = 500
/** Pages read of a thread; entries after them are left out. */
const maxPages = 200
/** Share of the context window for the transcript. Low enough for texts with short tokens. */
const transcriptShare = 0.45
const summaryTokens = 2_000
/** Limit for a history that is shortened by rule. */
const maxPlainChars = 48_000

export type LongHistory = { readonly door: Door; readonly threadId?: string; readonly items: readonly Item[] }
/** `tainted`: the history has text from outside. */
export type Compacted = { readonly text: string; readonly tainted: boolean; readonly usage: Usage }

type CompactParts = {
  readonly store: Pick<Store, 'threads' | 'usage'>
  readonly model: () => Promise<Model>
  readonly spend?: Pick<Spend, 'allows'> | undefined
  readonly observer?: Pick<Observer, 'stepped'> | undefined
}

export async function compactHistory(
  { store, model: open, spend, observer }: CompactParts,
  user: UserId,
  { door, threadId, items }: LongHistory,
  signal: AbortSignal,
): Promise<Compacted> {
  const opened = await open()
  const fenced = createTranscript(opened.window * transcriptShare * charsPerToken, oneTimeFence())
  const plain = createTranscript(maxPlainChars)
  let tainted = false
  const add = async (some: readonly Item[]): Promise<void> => {
    tainted ||= taintOf(some) !== undefined
    for (const item of some) {
      fenced.add(item)
      plain.add(item)
      await pace()
    }
  }
  for (let after = 0, pages = 0; threadId !== undefined && pages < maxPages; pages++) {
    const { entries, more } = await store.threads.entries(user, threadId, { after, limit: pageSize })
    await add(entries.map(({ item }) => item))
    if (!more) break
    after = entries.at(-1)?.seq ?? after
  }
  await add(items)
  const whole = fenced.close()
  const likely = { inputTokens: tokensInText(whole), cachedTokens: 0, outputTokens: summaryTokens, reasoningTokens: 0 }
  // Beyond the spend caps the history is shortened by rule.
  const paid = !spend || opened.byRule || (await spend.allows(user, opened.priceOf?.(likely) ?? 0))
  const model = paid ? opened : { ...opened, byRule: true as const }
  // The caller waits: when the model fails or takes too long, the history is shortened by rule.
  const noSummary = (): Summarised => ({ text: '', failed: true })
  const parts = { model, fenced: whole, plain: () => plain.close(), signal }
  const made = await summarise({ ...parts, maxTokens: summaryTokens }).catch(noSummary)
  if (made.asked) {
    await store.usage.add(user, door, made.asked)
    observer?.stepped([], [], [], made.asked)
  }
  const byRule = { ...parts, model: { ...model, byRule: true as const }, maxTokens: maxPlainChars / charsPerToken }
  const { text } = made.failed || model.byRule ? await summarise(byRule) : made
  return { text, tainted, usage: made.asked ? { ...made.asked.usage, model: made.asked.model } : noUsage }
}
