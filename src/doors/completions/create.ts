// POST /chat/completions: check the request, start a turn in its thread, answer with what the turn says.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Idempotency } from '#core/turn-store.ts'
import type { Turn } from '#core/turn.ts'
import { taskModel } from '#doors/openai/model-list.ts'
import { startPlanned } from '#doors/openai/start-planned.ts'
import { attach, type Source } from '#doors/openai/turn-events.ts'
import { planTurn } from '#doors/completions/read/plan.ts'
import { type CompletionRequest, readCompletion } from '#doors/completions/read/request.ts'
import { type AnswerStyle, answerTurn, type FollowedTurn } from '#doors/completions/tell/answer.ts'
import { originOf } from '#http/origin.ts'
import { hashOfBody } from '#http/body-hash.ts'
import { keyOf } from '#http/idempotency-key.ts'
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
  const key = keyOf(request)
  const idempotency = key === undefined ? undefined : { key, bodyHash: await hashOfBody(body) }
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
  const linkOf = linkTo(parts, reply)
  const styleFor = (history: string): AnswerStyle => ({ model, stream, includeUsage, history, linkOf })
  const existing = idempotency && (await parts.turns.findByKey(user, idempotency))
  if (existing) {
    const joined = await attach(parts.turns, user, existing)
    return answerTurn(parts, reply, styleFor(existing.options.chain ?? ''), { ...joined, entries: [], begins: false })
  }
  const started = await startTurn(parts, reply, sent)
  const how = styleFor(started.history)
  if ('gate' in started) return answerGate(parts, reply, how, started.gate)
  const { followed } = started
  try {
    return await answerTurn(parts, reply, how, followed)
  } catch (error) {
    if (!isGateRequired(error)) throw error
    // The turn before has come to a gate meanwhile: this one never started, and goes.
    await parts.turns.cancel(user, followed.turn.id)
    const gate = await parts.turns.current(user, followed.turn.threadId)
    return answerGate(parts, reply, how, gate ?? followed.turn)
  }
}

/** `history` is the hash of what the client sent. */
type Started = { readonly history: string } & (
  | { readonly followed: FollowedTurn }
  /** The thread waits at a gate of this turn. */
  | { readonly gate: Turn }
)

async function startTurn(parts: CompletionsParts, reply: FastifyReply, sent: Sent): Promise<Started> {
  const { turns } = parts
  const { user, completion: request } = sent
  const asking = { user, request, threadId: threadHeader(reply.request) }
  let history = ''
  const plan = async () => {
    const planned = await planTurn(parts, asking)
    // The client stopped reading this answer and has gone on: nobody waits for its end.
    if (planned.busyTurn !== undefined) parts.readers.gone(planned.busyTurn)
    ;({ history } = planned)
    return planned
  }
  const begin = beginner(parts, reply, sent)
  const began = await startPlanned(plan, (start) =>
    begin(start).catch((error: unknown) => {
      if (isGateRequired(error) && start.threadId !== undefined) return turns.current(user, start.threadId)
      throw error
    }),
  )
  if (!began) throw new AppError('conversation_busy', 'the thread is busy: try again', { retryAfterSecs: 1 })
  if (!('events' in began)) return { history, gate: began }
  if (began.turn.status === 'running' && !began.replayed) {
    return { history, followed: { turn: began.turn, source: began.events, entries: began.entries, begins: true } }
  }
  began.events.close()
  const joined = await attach(turns, user, began.turn)
  const source = began.replayed
    ? joined.source
    : heldAtGate(joined, (await turns.current(user, began.turn.threadId))?.status)
  return { history, followed: { ...joined, source, entries: [], begins: !began.replayed } }
}

/** Starts a planned turn, as its caller may. One with a key goes on when its reader leaves. */
function beginner({ turns }: CompletionsParts, reply: FastifyReply, { idempotency }: Sent) {
  const { allowedTools } = reply.request.caller
  const request = requestIdOf(reply.raw)
  return (plan: StartTurn): Promise<Start> => {
    const options = idempotency ? { ...plan.options, unattended: true as const } : plan.options
    return turns.start({ ...plan, request, allowedTools, options, ...(idempotency && { idempotency }) })
  }
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
function linkTo({ origins }: CompletionsParts, reply: FastifyReply): AnswerStyle['linkOf'] {
  const origin = originOf(origins.site(reply.request.raw))
  return (threadId) => `${origin}/threads/${threadId}`
}
