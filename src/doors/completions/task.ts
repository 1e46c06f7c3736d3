// Requests for `atrium-task`: one model call for titles and tags that chat apps ask for. Nothing is stored but usage.
import type { FastifyReply } from 'fastify'
import { AppError } from '#core/errors.ts'
import { newId, type UserId } from '#core/ids.ts'
import { seedItems } from '#doors/openai/seed.ts'
import type { CompletionsParts } from '#doors/completions/parts.ts'
import type { CompletionRequest } from '#doors/completions/read/request.ts'
import { createChunkWriter } from '#doors/completions/tell/chunks.ts'
import { completionId, completionObject, type FinishReason } from '#doors/completions/tell/told.ts'
import { type EventWriter, openEvents } from '#http/sse.ts'
import type { SingleAnswer } from '#turns/single-call.ts'

export async function answerTask(
  parts: CompletionsParts,
  reply: FastifyReply,
  user: UserId,
  request: CompletionRequest,
) {
  const { messages, options, model, includeUsage } = request
  const { temperature, format, json, sampling } = options
  // What the caller sends is all its own here: nothing is fenced, no tool can be misused.
  const items = seedItems(messages.items.map(asOwn), '', 'messages')
  const call = {
    door: 'completions' as const,
    system: messages.instructions.join('\n\n'),
    items,
    ...(temperature !== undefined && { temperature }),
    ...(format && { format }),
    ...(json && { json }),
    ...(sampling && { sampling }),
  }
  const state = { id: completionId(newId()), createdAt: parts.now?.() ?? Date.now(), model }
  const leaving = new AbortController()
  const leave = (): void => leaving.abort(new AppError('turn_cancelled', 'the client left'))
  reply.raw.once('close', leave)
  const signal = AbortSignal.any([leaving.signal, timeoutAfter(parts.turnTimeoutMs)])
  if (!request.stream) {
    const answer = await parts.turns.callOnce(user, call, { signal, onText: () => {} })
    if (answer.fault && answer.fault.code !== 'model_filtered') throw answer.fault
    const { text: content, reasoning } = answer
    const told = { content, reasoning: parts.progress ? reasoning.trim() : '' }
    return completionObject({ ...state, told, finish: finishOf(answer), usage: answer.usage })
  }
  const chunks = createChunkWriter({ ...state, includeUsage })
  let writer: EventWriter | undefined
  const begin = (): EventWriter => {
    if (writer) return writer
    writer = openEvents(reply, leave)
    writer.send(chunks.role())
    return writer
  }
  const answer = await parts.turns.callOnce(user, call, {
    signal,
    onText: (text) => begin().sendSoon(chunks.text(text)),
  })
  const failed = answer.fault && answer.fault.code !== 'model_filtered'
  begin().end(failed && answer.fault ? chunks.fault(answer.fault) : chunks.end(finishOf(answer), answer.usage))
  return undefined
}

function asOwn<T extends { readonly type: string }>(item: T): T {
  return item.type === 'message' ? { ...item, ours: true } : item
}

function finishOf({ cut, fault }: SingleAnswer): FinishReason {
  if (fault) return 'content_filter'
  return cut ? 'length' : 'stop'
}

function timeoutAfter(ms: number): AbortSignal {
  const late = new AbortController()
  const message = `the call was stopped after ${Math.round(ms / 1000)} seconds`
  setTimeout(() => late.abort(new AppError('turn_timeout', message)), ms).unref()
  return late.signal
}
