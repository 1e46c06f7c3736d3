// Routes of an existing response: retrieve, stream again, cancel, delete, list its input.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import { hexOf, parseResponseId, type UserId } from '#core/ids.ts'
import { type Entry, type Part, textOf } from '#core/item.ts'
import { isObject } from '#core/json.ts'
import type { Turn } from '#core/turn.ts'
import { nameForCaller } from '#doors/openai/caller-tools.ts'
import { attach } from '#doors/openai/turn-events.ts'
import type { ResponsesParts } from '#doors/responses/parts.ts'
import { closeCompaction, compactionIn } from '#doors/responses/read/compaction.ts'
import type { Turns } from '#turns/turns.ts'
import { eventStyle, streamTurn } from './answer.ts'
import { inputCount, itemId, messageOutput, outputOf, placeholderModel, responseObject } from './output.ts'

const defaultPage = 20
const maxPage = 100

/** GET /responses/{id}: rebuilt from the stored log. With `stream=true` its events are sent again. */
export async function getResponse(parts: ResponsesParts, request: FastifyRequest, reply: FastifyReply) {
  const { user } = request.caller
  const turn = await findTurn(parts.turns, user, request)
  const query = queryOf(request)
  if (query['stream'] !== 'true') {
    parts.readers.seen(turn)
    return loadResponse(parts.turns, user, turn)
  }
  const after = Number(query['starting_after'] || -1)
  const attached = await attach(parts.turns, user, turn)
  const followed = {
    ...attached,
    model: placeholderModel,
    events: eventStyle(request, parts.rules.events),
    skip: inputCount(turn),
  }
  return streamTurn(reply, { ...followed, after: Number.isSafeInteger(after) ? after : -1 }, parts)
}

/** POST /responses/{id}/cancel: ends a turn, or frees a thread that waits for the output of a call. Idempotent. */
export async function cancelResponse({ turns }: ResponsesParts, request: FastifyRequest) {
  const { user } = request.caller
  const turn = await findTurn(turns, user, request)
  return loadResponse(turns, user, await turns.cancel(user, turn.id))
}

/** DELETE /responses/{id}: hides the response. Its items remain in the history of its thread. */
export async function deleteResponse({ turns }: ResponsesParts, request: FastifyRequest) {
  const { user } = request.caller
  const turn = await findTurn(turns, user, request)
  await turns.remove(user, turn.id)
  return { id: idOf(request), object: 'response', deleted: true }
}

/** GET /responses/{id}/input_items: newest first, unless `order=asc`. */
export async function listInput({ turns }: ResponsesParts, request: FastifyRequest) {
  const { user } = request.caller
  const turn = await findTurn(turns, user, request)
  const entries = await turns.entries(user, turn)
  const items = entries.slice(0, inputCount(turn)).flatMap((entry) => inputItem(entry, turn) ?? [])
  const { order, after, limit } = queryOf(request)
  if (order !== 'asc') items.reverse()
  const from = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1
  const size = Math.min(Math.max(Math.trunc(Number(limit ?? defaultPage)) || defaultPage, 1), maxPage)
  const data = items.slice(from, from + size)
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + size < items.length,
  }
}

async function loadResponse(turns: Turns, user: UserId, turn: Turn) {
  const { output, gate } = outputOf(turn, await turns.entries(user, turn))
  return responseObject({ turn, model: placeholderModel, output, gate })
}

/** Throws the same not_found for a malformed, unknown or deleted id and for another user's. */
async function findTurn(turns: Turns, user: UserId, request: FastifyRequest): Promise<Turn> {
  const ids = parseResponseId(idOf(request))
  const turn = ids && (await turns.get(user, ids.turnId))
  if (turn && turn.threadId === ids.threadId) return turn
  throw new AppError('not_found', 'no response has this id: check it, or send a new request')
}

function idOf({ params }: FastifyRequest): string {
  return isObject(params) ? String(params['id']) : ''
}

function queryOf({ query }: FastifyRequest): Readonly<Record<string, string | undefined>> {
  if (!isObject(query)) return {}
  return Object.fromEntries(
    Object.entries(query).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  )
}

function inputItem({ id, item }: Entry, { threadId, options }: Turn) {
  const threadHex = hexOf(threadId)
  switch (item.type) {
    case 'message': {
      const wireId = itemId('msg', id, threadHex)
      if (item.role === 'assistant') return messageOutput(wireId, textOf(item), item.cut ? 'incomplete' : 'completed')
      const compacted = compactionIn(item)
      if (compacted) return { id: wireId, type: 'compaction', encrypted_content: closeCompaction(compacted) }
      return { id: wireId, type: 'message', status: 'completed', role: 'user', content: item.content.map(inputPart) }
    }
    case 'call': {
      const call = { call_id: item.callId, ...nameForCaller(options.tools, item.name), arguments: item.args }
      return { id: itemId('fc', id, threadHex), type: 'function_call', status: 'completed', ...call }
    }
    case 'result':
    case 'answer': {
      const pictures = (item.images ?? []).map((url) => inputPart({ type: 'image', url }))
      const text = item.output ?? ''
      const output = pictures.length > 0 ? [{ type: 'input_text', text }, ...pictures] : text
      const answer = { call_id: item.callId, output }
      return { id: itemId('fc', id, threadHex), type: 'function_call_output', status: 'completed', ...answer }
    }
    case 'reasoning':
    case 'attempt':
    case 'gate':
    case 'summary':
      return undefined
    default:
      return item satisfies never
  }
}

function inputPart(part: Part) {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text }
    case 'image':
      return { type: 'input_image', image_url: part.url, detail: 'auto' }
    case 'file':
      return { type: 'input_file', filename: part.name, text: part.text }
    default:
      return part satisfies never
  }
}
