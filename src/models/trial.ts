// One short question to a model, to check that it answers.
import type { ModelTrial } from '#core/admin.ts'
import { AppError } from '#core/errors.ts'
import { textMessage } from '#core/item.ts'
import type { Model } from '#core/model.ts'
import { noUsage } from '#core/turn.ts'
import { cutTo } from '#core/words.ts'

/** The offline model knows it too. */
export const trialQuestion = 'Answer with the one word: ready'
const defaultTimeoutMs = 30_000
const maxChars = 200
/** A model that writes more, thoughts included, is stopped: it answers. */
const maxOutputChars = 4_000

/** Asks for one word. Throws what the model throws, and model_timeout after `timeoutMs`. Time and output are bounded. */
export async function tryModel(model: Model, timeoutMs = defaultTimeoutMs): Promise<ModelTrial> {
  const began = performance.now()
  const message = `${model.provider} ${model.name} did not finish within ${timeoutMs / 1000} s: try again later`
  const signal = AbortSignal.timeout(timeoutMs)
  let words = ''
  let chars = 0
  // Until the provider reports it, the cost of a model with prices is unknown.
  let usage: ModelTrial['usage'] = { ...noUsage, costUsd: model.priceOf ? null : 0 }
  let answered = model.name
  try {
    const items = [textMessage('user', trialQuestion)]
    for await (const batch of model.stream({ system: 'Be brief.', items, tools: [] }, signal)) {
      for (const event of batch) {
        if (event.type === 'text' && words.length <= maxChars) words += event.text
        if (event.type === 'text' || event.type === 'reasoning') chars += event.text.length
        if (event.type === 'done') usage = event.usage
        if (event.type === 'done') answered = event.model ?? answered
      }
      if (chars > maxOutputChars) break
    }
  } catch (error) {
    if (!signal.aborted) throw error
    throw new AppError('model_timeout', message, { cause: error })
  }
  const ms = Math.round(performance.now() - began)
  return { words: cutTo(words.trim(), maxChars), usage, model: answered, ms }
}
