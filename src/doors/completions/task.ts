// Requests for `atrium-task`: one model call for titles and tags that chat apps ask for. Nothing is stored but usage.
import type { FastifyReply } from 'fastify'
import { AppError } from '#core/errors.ts'
import { newId, type UserId } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import { seedItems } from '#doors/openai/seed.ts'
import type { CompletionsParts } from '#doors/completions/parts.ts'
import type { Messages } from '#doors/completions/read/messages.ts'
import type { CompletionRequest } from '#doors/completions/read/request.ts'
import { maxSilenceMs } from '#doors/completions/tell/answer.ts'
import { createChunkWriter } from '#doors/completions/tell/chunks.ts'
import { completionId, completionObject, type FinishReason } from '#doors/completions/tell/told.ts'
import { requireStillAllowed } from '#http/caller.ts'
import { type EventWriter, openEvents } from '#http/sse.ts'
import type { SingleAnswer, SingleCall } from '#turns/single-call.ts'

export async function answerTask(
  parts: CompletionsParts,
  reply: FastifyReply,
  user: UserId,
  request: CompletionRequest,
) {
  const { messages, options, model, includeUsage } = request
  const { temperature, format, json, sampling } = options
  const call: SingleCall = {
    door: 'completions',
    ...promptOf(messages),
    ...(temperature !== undefined && { temperature }),
    ...(format && { format }),
    ...(json && { json }),
    ...(sampling && { sampling }),
  }
  const state = { id: completionId(newId()), createdAt: parts.now?.() ?? Date.now(), model }
  const { signal, leave, hasLeft, done } = callEnds(parts.turnTimeoutMs)
  reply.raw.once('close', leave)
  try {
    return request.stream ? await stream() : await whole()
  } catch (error) {
    if (!hasLeft()) throw error
    // Nobody is there to be told.
    reply.hijack()
    return undefined
  } finally {
    done()
  }

  async function whole() {
    const answer = await parts.turns.callOnce(user, call, { signal })
    await requireStillAllowed(reply.request)
    const fault = faultOf(answer)
    if (fault) throw fault
    const { text: content, reasoning, usage } = answer
    const told = { content, reasoning: parts.progress ? reasoning.trim() : '' }
    return completionObject({ ...state, told, finish: finishOf(answer), usage })
  }

  async function stream() {
    const chunks = createChunkWriter({ ...state, includeUsage })
    let writer: EventWriter | undefined
    const begin = (): EventWriter => {
      if (writer) return writer
      writer = openEvents(reply, leave)
      writer.begin(chunks.role())
      return writer
    }
    const silence = setTimeout(begin, parts.maxSilenceMs ?? maxSilenceMs)
    const onText = (text: string): void => begin().send(chunks.text(text))
    const onThought = (text: string): void => begin().send(chunks.reasoning(text))
    try {
      const how = { signal, onText, ...(parts.progress && { onThought }) }
      const answer = await parts.turns.callOnce(user, call, how)
      const fault = faultOf(answer)
      begin().end(fault ? chunks.fault(fault) : chunks.end(finishOf(answer), answer.usage))
    } catch (error) {
      if (!writer || !(error instanceof AppError)) throw error
      writer.end(chunks.fault(error))
    } finally {
      clearTimeout(silence)
    }
    return undefined
  }
}

/** All text comes from the caller here, and there are no tools to misuse: nothing is fenced. */
function promptOf({ items, instructions }: Messages): Pick<SingleCall, 'system' | 'items'> {
  const system = instructions.join('\n\n')
  // Providers want a message beside the instructions.
  if (items.length === 0 && system !== '') return { system: '', items: [textMessage('user', system)] }
  return { system, items: seedItems(items.map(asOwn), '', 'messages') }
}

function asOwn<T extends { readonly type: string }>(item: T): T {
  return item.type === 'message' ? { ...item, ours: true } : item
}

/** The signal that ends a call: its client has left, or the time is up. */
function callEnds(timeoutMs: number) {
  const end = new AbortController()
  const late = new AppError('turn_timeout', `the call was stopped after ${Math.round(timeoutMs / 1000)} seconds`)
  const left = new AppError('turn_cancelled', 'the client left')
  const timer = setTimeout(() => end.abort(late), timeoutMs)
  return {
    signal: end.signal,
    leave: () => end.abort(left),
    hasLeft: () => end.signal.reason === left,
    done: () => clearTimeout(timer),
  }
}

/** A filter of the provider cuts an answer, and is no fault. */
function faultOf({ fault }: SingleAnswer): AppError | undefined {
  return fault?.code === 'model_filtered' ? undefined : fault
}

function finishOf({ cut, fault }: SingleAnswer): FinishReason {
  if (fault) return 'content_filter'
  return cut ? 'length' : 'stop'
}
