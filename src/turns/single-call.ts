// One model call outside of any turn: no tools, no memory, no identity. Nothing is stored but its usage.
import { ask } from '#agent/ask.ts'
import { tokensInItem, tokensInText } from '#agent/tokens.ts'
import type { Door } from '#core/doors.ts'
import { AppError, appErrorOf } from '#core/errors.ts'
import { newId, type UserId } from '#core/ids.ts'
import { type Item, textOf } from '#core/item.ts'
import type { Model, ModelRequest } from '#core/model.ts'
import type { Store } from '#core/store.ts'
import type { Usage } from '#core/turn.ts'
import type { Spend } from './spend.ts'
import type { Observer } from './turn-metrics.ts'

/** The likely length of an answer, for the spend caps. */
export const likelyTokens = 500

export type SingleCall = Omit<ModelRequest, 'tools' | 'items'> & {
  readonly door: Door
  readonly items: readonly Item[]
}

export type SingleAnswer = {
  readonly text: string
  readonly reasoning: string
  /** The answer reached the token limit. */
  readonly cut: boolean
  readonly usage: Usage
  /** The fault that ended the answer early. Without any text it is thrown, unless the provider's filter withheld all of it. */
  readonly fault?: AppError
}

/** `onText` and `onThought` get text and reasoning as they come. */
export type CallOptions = {
  readonly signal: AbortSignal
  readonly onText?: (text: string) => void
  readonly onThought?: (text: string) => void
}

type CallParts = {
  readonly store: Pick<Store, 'usage'>
  readonly model: () => Promise<Model>
  readonly spend?: Pick<Spend, 'allows'> | undefined
  readonly observer?: Pick<Observer, 'stepped'> | undefined
}

/** Throws spend_limit and the model's faults before any text. */
export async function callOnce(
  { store, model: open, spend, observer }: CallParts,
  user: UserId,
  { door, ...request }: SingleCall,
  { signal, onText, onThought }: CallOptions,
): Promise<SingleAnswer> {
  const model = await open()
  const inputTokens = request.items.reduce((sum, item) => sum + tokensInItem(item), tokensInText(request.system))
  const likely = { inputTokens, cachedTokens: 0, outputTokens: likelyTokens, reasoningTokens: 0 }
  if (spend && !(await spend.allows(user, model.priceOf?.(likely) ?? 0))) {
    throw new AppError('spend_limit', 'a spend cap of the operator forbids this call')
  }
  const reply = await ask({
    model,
    request: { ...request, tools: [] },
    turnId: newId(),
    signal,
    emit(pieces) {
      for (const { type, text } of pieces) (type === 'delta' ? onText : onThought)?.(text)
    },
  })
  if (reply.asked) {
    await store.usage.add(user, door, reply.asked)
    observer?.stepped([], [], [], reply.asked)
  }
  const items = reply.drafts.map(({ item }) => item)
  const texts = items.flatMap((item) => (item.type === 'message' ? [textOf(item)] : []))
  const text = texts.join('')
  const error: unknown = signal.aborted ? signal.reason : reply.fault
  const fault = error === undefined ? undefined : appErrorOf(error)
  if (fault && fault.code !== 'model_filtered' && text === '') throw fault
  const last = items.at(-1)
  return {
    text,
    reasoning: items.map((item) => (item.type === 'reasoning' ? item.text : '')).join(''),
    cut: last?.type === 'message' && last.cut === true && !fault,
    usage: reply.usage,
    ...(fault && { fault }),
  }
}
