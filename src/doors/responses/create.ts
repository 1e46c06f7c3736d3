// POST /responses: check the request, start a turn, answer with its response.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import { newId, type UserId } from '#core/ids.ts'
import { isAtRest } from '#core/turn-status.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import type { CatalogRules } from '#doors/openai/caller-tools.ts'
import { startPlanned } from '#doors/openai/start-planned.ts'
import { attach, fixedSource, inputCount } from '#doors/openai/turn-events.ts'
import { conversationNotFound, planTurn, previousNotFound } from '#doors/responses/read/plan.ts'
import { type CreateRequest, readCreate } from '#doors/responses/read/request.ts'
import { collectTurn, eventStyle, type FollowedTurn, streamTurn } from '#doors/responses/tell/answer.ts'
import { responseObject } from '#doors/responses/tell/output.ts'
import type { EventStyle } from '#doors/responses/tell/stream-records.ts'
import { hashOfBody } from '#http/body-hash.ts'
import { requireStillAllowed } from '#http/caller.ts'
import { keyOf } from '#http/idempotency-key.ts'
import { requestIdOf } from '#http/request-log.ts'
import type { Start } from '#turns/turns.ts'
import type { ResponsesParts } from './parts.ts'

/** An error before the turn is stored leaves its thread unchanged. */
export async function createResponse(parts: ResponsesParts, request: FastifyRequest, reply: FastifyReply) {
  const { turns, externalTools } = parts
  const { user, allowedTools } = request.caller
  const { body } = request
  const key = keyOf(request)
  const bodyHash = await hashOfBody(body)
  const idempotency = key === undefined ? undefined : { key, bodyHash }
  const create = await readCreate(body, {
    externalTools,
    catalog: catalogRules(parts),
    fields: parts.rules.fields,
  })
  // Looked up first: the items that a repeated request refers to may have been deleted, but its response still exists.
  const { model, stream, background } = create
  const how = { model, stream, background, events: eventStyle(request, parts.rules.events) }
  const existing = idempotency && (await turns.findByKey(user, idempotency))
  const repeat = async (turn: Turn) => answer(parts, reply, how, { ...(await attach(turns, user, turn)), entries: [] })
  if (existing) return repeat(existing)
  let start: Start
  try {
    const plan = async () => {
      const planned = await planTurn(parts, user, create)
      // The client stopped reading this answer and has gone on: nobody waits for its end.
      if (planned.stopped !== undefined) parts.readers.gone(planned.stopped)
      return planned
    }
    start = await startPlanned(plan, (planned) =>
      turns.start({
        ...planned,
        request: requestIdOf(reply.raw),
        allowedTools,
        bodyHash,
        ...(idempotency && { idempotency, options: { ...planned.options, unattended: true } }),
      }),
    )
  } catch (error) {
    if (error instanceof AppError && error.code === 'database_unavailable') throw error
    // A client that retries a turn which waits for a person gets the same answer, until somebody has answered the gate.
    // `start` finds it, unless something failed before: what the body refers to was deleted, or the process is full.
    const waiting = await turns.findWaiting(user, 'responses', bodyHash).catch(() => undefined)
    if (waiting) return repeat(waiting)
    const failed = failedTurn(error, create, user, parts.now?.() ?? Date.now())
    const source = fixedSource({ type: 'turn', turn: failed })
    return answer(parts, reply, how, { turn: failed, source, entries: [] })
  }
  if (!start.replayed) return answer(parts, reply, how, { ...start, source: start.events, begins: true })
  start.events.close()
  return repeat(start.turn)
}

export function catalogRules({ rules, registered }: ResponsesParts): CatalogRules {
  return {
    maxBytes: rules.toolsBytes,
    raisedBy: 'RESPONSES_TOOLS_BYTES',
    foreign: rules.foreignTools,
    registered: registered(),
  }
}

/** How the client wants its answer. */
type AnswerStyle = Pick<CreateRequest, 'model' | 'stream' | 'background'> & { readonly events: EventStyle }
type JoinedTurn = Pick<FollowedTurn, 'turn' | 'source' | 'begins'> & Pick<Start, 'entries'>

/** Takes no more of the request than the answer needs: it would be kept until the turn ends. */
async function answer(parts: ResponsesParts, reply: FastifyReply, how: AnswerStyle, joined: JoinedTurn) {
  const { model, stream, background, events } = how
  const { entries, ...source } = joined
  const followed = { ...source, model }
  if (stream) {
    return streamTurn(reply, { ...followed, events, skip: inputCount(joined.turn) - entries.length }, parts)
  }
  if (background && !isAtRest(joined.turn.status)) {
    joined.source.close()
    const response = responseObject({ turn: joined.turn, model, output: [] })
    return { ...response, status: joined.turn.status === 'queued' ? 'queued' : response.status }
  }
  const state = await collectTurn(parts, followed, entries)
  await requireStillAllowed(reply.request)
  return responseObject(state)
}

/** Faults of the turn are answered with 200 and a failed response that is not stored. Other faults are thrown. */
function failedTurn(error: unknown, { options, conversation }: CreateRequest, user: UserId, now: number): Turn {
  const fault = asTurnFault(error, conversation !== undefined)
  return {
    id: newId(),
    threadId: newId(),
    userId: user,
    door: 'responses',
    status: 'failed',
    options,
    createdAt: now,
    endedAt: now,
    usage: noUsage,
    error: { code: fault.code, message: fault.message },
  }
}

function asTurnFault(error: unknown, inConversation: boolean): AppError {
  if (!(error instanceof AppError)) throw error
  const { code, message, param } = error
  if (code === 'previous_response_not_found' || code === 'gate_required') return error
  if (code === 'not_found' && inConversation) throw conversationNotFound()
  // The thread was deleted after it had been checked.
  if (code === 'not_found') return previousNotFound()
  if (code === 'no_open_gate' || code === 'call_id_mismatch') {
    throw new AppError(code, message, { param: param ?? 'input[0].call_id', cause: error })
  }
  if (code === 'tool_output_required') throw new AppError(code, message, { param: 'input', cause: error })
  throw error
}
