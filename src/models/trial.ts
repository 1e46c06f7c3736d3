// One short question to a model, to see whether it answers at all.
import { AppError } from '#core/errors.ts'
import { textMessage } from '#core/item.ts'
import type { Model } from '#core/model.ts'
import { noUsage, type Usage } from '#core/turn.ts'

const trialMs = 30_000
const maxWords = 200

export type Trial = { readonly words: string; readonly usage: Usage; readonly model: string; readonly ms: number }

/** Asks for one word. Throws as the model does, and model_timeout after half a minute. */
export async function tryModel(model: Model, patienceMs = trialMs): Promise<Trial> {
  const began = performance.now()
  const message = `${model.provider} ${model.name} did not come to an end within ${patienceMs / 1000} s: try again later`
  const signal = AbortSignal.timeout(patienceMs)
  let words = ''
  let usage = noUsage
  let answered = model.name
  try {
    const items = [textMessage('user', 'Answer with the one word: ready')]
    for await (const batch of model.stream({ system: 'Be brief.', items, tools: [] }, signal)) {
      for (const event of batch) {
        if (event.type === 'text' && words.length < maxWords) words += event.text
        if (event.type === 'done') usage = event.usage
        if (event.type === 'done') answered = event.model ?? answered
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
    throw new AppError('model_timeout', message, { cause: error })
  }
  const ms = Math.round(performance.now() - began)
  return { words: words.trim().slice(0, maxWords), usage, model: answered, ms }
}
