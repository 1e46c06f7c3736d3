// POST /chat/completions: check the request, start a turn in its thread, answer with what the turn says.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Idempotency } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { taskModel } from '#doors/openai/model-list.ts'
import { idempotencyOf } from '#doors/openai/idempotency.ts'
import { attach, type Source } from '#doors/openai/turn-events.ts'
import { cannotFork } from '#doors/openai/turn-input.ts'
import { planTurn } from '#doors/completions/read/plan.ts'
import { type CompletionRequest, readCompletion } from '#doors/completions/read/request.ts'
import { type Asked, answerTurn, type FollowedTurn } from '#doors/completions/tell/answer.ts'
import { originOf } from '#http/origin.ts'
import { requestIdOf } from '#http/request-log.ts'
import type { Start, StartTurn } from '#turns/turns.ts'
import type { Watched } from '#turns/watch.ts'
import { answerGate } from './answer-gate.ts'
import { answerTask } from './task.ts'
import type { CompletionsParts } from './parts.ts'

/** Nothing is stored for a request that is refused. */
export async function createCompletion(parts: CompletionsParts, request: FastifyRequest, reply: FastifyReply) {
  const { caller, body } = request
  const { externalTools, foreignTools: foreign, limits } = parts
  await (isTask(body) ? limits.task : limits.chat).take(caller)
  const idempotency = await idempotencyOf({ headers: request.headers, body })
  const rules = { externalTools, foreign, registered: parts.registered(), choices: parts.choices() }
  const completion = await readCompletion(body, rules)
  if (completion.model === taskModel) return answerTask(parts, reply, caller.user, completion)
  return answerAgent(parts, reply, { user: caller.user, completion, idempotency })
}

function isTask(body: unknown): boolean {
  return (body as { model?: unknown } | null)?.model === taskModel
}

type Sent = {
  readonly user: UserId
  readonly completion: CompletionRequest
  readonly idempotency: Idempotency | undefined
}

async function answerAgent(parts: CompletionsParts, reply: FastifyReply, sent: Sent) {
  const { user, completion, idempotency } = sent
  const { model, stream, includeUsage } = completion
  const asked: Asked = { model, stream, includeUsage, asked: '', linkOf: linkTo(parts, reply) }
  const existing = idempotency && (await parts.turns.findByKey(user, idempotency))
  if (existing) {
    const history = existing.options.chain ?? ''
    return answerTurn(
      parts,
      reply,
      { ...asked, asked: history },
      { ...(await attach(parts.turns, user, existing)), entries: [], begins: false },
    )
  }
  const plan = await startTurn(parts, reply, sent)
  if ('gate' in plan) return answerGate(parts, reply, { ...asked, asked: plan.asked }, plan.gate)
  try {
    return await answerTurn(parts, reply, { ...asked, asked: plan.asked }, plan.followed)
  } catch (error) {
    if (!isGateRequired(error)) throw error
    // The turn before has come to a gate meanwhile: this one never started, and goes.
    await parts.turns.cancel(user, plan.followed.turn.id)
    const gate = await parts.turns.current(user, plan.followed.turn.threadId)
    return answerGate(parts, reply, { ...asked, asked: plan.asked }, gate ?? plan.followed.turn)
  }
}

type Started =
  | { readonly asked: string; readonly followed: FollowedTurn }
  /** The thread waits at a gate of this turn. */
  | { readonly asked: string; readonly gate: Turn }

async function startTurn(
  parts: CompletionsParts,
  reply: FastifyReply,
  { user, completion, idempotency }: Sent,
): Promise<Started> {
  const { turns } = parts
  const threadId = threadHeader(reply.request)
  const sent = { user, request: completion, threadId }
  const begin = (plan: StartTurn): Promise<Start> =>
    turns.start({
      ...plan,
      request: requestIdOf(reply.raw),
      allowedTools: reply.request.caller.allowedTools,
      ...(idempotency && { idempotency, options: { ...plan.options, unattended: true } }),
    })
  let { start, asked, busyTurn } = await planTurn(parts, sent)
  // The client stopped reading this answer and has gone on: nobody waits for its end.
  if (busyTurn !== undefined) parts.readers.gone(busyTurn)
  const began = await begin(start).catch(async (error: unknown) => {
    if (isGateRequired(error) && start.threadId !== undefined) return turns.current(user, start.threadId)
    if (!start.forks || !cannotFork(error)) throw error
    // The thread is too large to fork, or is gone: the history starts a thread of its own.
    const apart = await planTurn(parts, { ...sent, apart: true })
    start = apart.start
    asked = apart.asked
    return begin(start)
  })
  if (!began) throw new AppError('conversation_busy', 'the thread is busy: try again', { retryAfterSecs: 1 })
  if (!('events' in began)) return { asked, gate: began }
  if (began.turn.status === 'running' && !began.replayed) {
    return { asked, followed: { turn: began.turn, source: began.events, entries: began.entries, begins: true } }
  }
  began.events.close()
  const joined = await attach(turns, user, began.turn)
  const source = began.replayed
    ? joined.source
    : heldAtGate(joined, (await turns.current(user, began.turn.threadId))?.status)
  return { asked, followed: { ...joined, source, entries: [], begins: !began.replayed } }
}

/** The events of a queued turn. Ends with gate_required when the turn before it comes to a gate. */
function heldAtGate({ turn, source }: { turn: Turn; source: Source }, current: Turn['status'] | undefined): Source {
  let started = turn.firstSeq !== undefined
  const held = (event: Watched): boolean => {
    if (event.type === 'entries') started ||= event.entries.some(({ turnId }) => turnId === turn.id)
    if (event.type !== 'turn') return false
    if (event.turn.id === turn.id) started ||= event.turn.status !== 'queued'
    return !started && event.turn.status === 'waiting'
  }
  return {
    close: () => source.close(),
    async *[Symbol.asyncIterator]() {
      if (!started && current === 'waiting') throw gateRequired()
      for await (const events of source) {
        if (events.some(held)) throw gateRequired()
        yield events
      }
    },
  }
}

function gateRequired(): AppError {
  return new AppError('gate_required', 'the thread waits for an approval or a sign-in')
}

function isGateRequired(error: unknown): boolean {
  return error instanceof AppError && error.code === 'gate_required'
}

function threadHeader({ headers }: FastifyRequest): string | undefined {
  const id = headers['x-atrium-thread']
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** Links go to where the client reached the service. */
function linkTo({ origins }: CompletionsParts, reply: FastifyReply): Asked['linkOf'] {
  const origin = originOf(origins.site(reply.request.raw))
  return (threadId) => `${origin}/threads/${threadId}`
}
