// Routes of an existing response: retrieve, stream again, cancel, delete, list its input.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import { parseResponseId, type UserId } from '#core/ids.ts'
import type { Turn } from '#core/turn.ts'
import { attach, inputCount } from '#doors/openai/turn-events.ts'
import type { ResponsesParts } from '#doors/responses/parts.ts'
import type { Turns } from '#turns/turns.ts'
import { eventStyle, streamTurn } from './answer.ts'
import { inputItem } from './input-item.ts'
import { outputOf, placeholderModel, responseObject } from './output.ts'
import { idOf, pageOf, pageQuery, queryOf } from './page-query.ts'

/**
 * GET /responses/{id}: rebuilt from the stored log. With `stream=true` its events are sent again; with `starting_after`, those
 * after this number of the stream that the client had, while the stream's record is kept.
 */
export async function getResponse(parts: ResponsesParts, request: FastifyRequest, reply: FastifyReply) {
  const { user } = request.caller
  const turn = await findTurn(parts.turns, user, request)
  const query = queryOf(request)
  if (query['stream'] !== 'true') {
    parts.readers.seen(turn)
    return loadResponse(parts.turns, user, turn)
  }
  const number = Number(query['starting_after'] || -1)
  const after = Number.isSafeInteger(number) ? number : -1
  const attached = await attach(parts.turns, user, turn)
  const followed = {
    ...attached,
    model: placeholderModel,
    events: eventStyle(request, parts.rules.events),
    skip: inputCount(turn),
  }
  const record = after < 0 ? undefined : parts.records.take(turn.id, after)
  return streamTurn(reply, { ...followed, after, record }, parts)
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
  const { order, after, size } = pageQuery(request)
  if (order === 'desc') items.reverse()
  const from = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1
  return pageOf(items.slice(from, from + size), from + size < items.length)
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
