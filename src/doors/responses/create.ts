// POST /responses: check, start a turn, answer with it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import { newId, type UserId } from '#core/ids.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { idempotencyOf } from '#doors/openai/idempotency.ts'
import { attach, told } from '#doors/openai/turn-events.ts'
import { planTurn, previousNotFound } from '#doors/responses/read/plan.ts'
import { type CreateRequest, readCreate } from '#doors/responses/read/request.ts'
import { collectTurn, streamTurn, type Telling } from '#doors/responses/tell/answer.ts'
import { inputCount, responseObject } from '#doors/responses/tell/output.ts'
import { requestIdOf } from '#http/request-log.ts'
import type { Start } from '#turns/turns.ts'
import type { ResponsesParts } from './parts.ts'

/** Answers a create. Whatever is thrown before the turn is stored leaves its thread as it was. */
export async function createResponse(parts: ResponsesParts, request: FastifyRequest, reply: FastifyReply) {
  const { turns, externalTools } = parts
  const { user } = request.caller
  const idempotency = idempotencyOf(request)
  const wanted = readCreate(request.body, { externalTools, registered: parts.registered() })
  // Looked up first: what the request refers to may be gone since, its response is not.
  const made = idempotency && (await turns.findByKey(user, idempotency))
  if (made) return answer(parts, reply, wanted, { ...(await attach(turns, user, made)), entries: [] })
  let start: Start
  try {
    const plan = { ...(await planTurn(parts, user, wanted)), request: requestIdOf(reply.raw) }
    start = await turns.start(idempotency ? { ...plan, idempotency } : plan)
  } catch (error) {
    const failed = failedTurn(error, wanted, user, parts.now?.() ?? Date.now())
    const source = told({ type: 'turn', turn: failed })
    return answer(parts, reply, wanted, { turn: failed, source, entries: [] })
  }
  if (!start.replayed) return answer(parts, reply, wanted, { ...start, source: start.events })
  start.events.close()
  return answer(parts, reply, wanted, { ...(await attach(turns, user, start.turn)), entries: [] })
}

type Told = Pick<Telling, 'turn' | 'source'> & Pick<Start, 'entries'>

async function answer(parts: ResponsesParts, reply: FastifyReply, wanted: CreateRequest, told: Told) {
  const { turn, source, entries } = told
  const telling = { turn, source, model: wanted.model }
  if (wanted.stream) {
    return streamTurn(reply, { ...telling, skip: inputCount(turn) - entries.length }, parts.log)
  }
  return responseObject(await collectTurn(parts, telling, entries))
}

/** Faults of the turn itself are answered 200 with a failed response, of which nothing is stored; others are thrown. */
function failedTurn(error: unknown, { options }: CreateRequest, user: UserId, now: number): Turn {
  const fault = asTurnFault(error)
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

function asTurnFault(error: unknown): AppError {
  if (!(error instanceof AppError)) throw error
  const { code, message, param } = error
  if (code === 'previous_response_not_found' || code === 'gate_required') return error
  // The thread was erased between two looks at it.
  if (code === 'not_found') return previousNotFound()
  if (code === 'no_open_gate' || code === 'call_id_mismatch') {
    throw new AppError(code, message, { param: param ?? 'input[0].call_id', cause: error })
  }
  if (code === 'tool_output_required') throw new AppError(code, message, { param: 'input', cause: error })
  throw error
}
