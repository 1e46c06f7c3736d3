// POST /api/chat waits for the reply; POST /api/chat/send does not.
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import * as z from 'zod/mini'
import { AppError, wrongField } from '#core/errors.ts'
import { isUuid } from '#core/ids.ts'
import type { Entry, Part } from '#core/item.ts'
import type { ReadPdf } from '#core/pdf.ts'
import type { Idempotency } from '#core/turn-store.ts'
import { type Turn, usageSoFar } from '#core/turn.ts'
import { isAtRest } from '#core/turn-status.ts'
import { hashOfBody } from '#http/body-hash.ts'
import { keyOf } from '#http/idempotency-key.ts'
import { requestIdOf } from '#http/request-log.ts'
import { maxFileBodyBytes } from '#http/body.ts'
import { type Caller, requireStillAllowed } from '#http/caller.ts'
import { usageWire } from '#http/wire-format.ts'
import { type Route, route } from '#http/routes.ts'
import type { Gates } from '#turns/gates.ts'
import { readEnd } from '#turns/job-outcome.ts'
import { checkMessage } from '#turns/message.ts'
import { queuedBounds, type Threads } from '#turns/threads.ts'
import type { Start, Turns } from '#turns/turns.ts'
import { Attachments, partsOf } from './attachments.ts'
import { ChatAnswer, SendAnswer } from '#doors/web/wire/chat.ts'
import { gateWire } from './gate-wire.ts'
import { faultWire, replyText } from './wire.ts'

/** How long POST /api/chat waits for the turn. After that it answers `running` and the turn continues. */
const defaultPatienceMs = 120_000

export type ChatParts = {
  readonly turns: Turns
  readonly threads: Threads
  readonly gates: Gates
  readonly patienceMs?: number
  /** Without it no PDF is taken. */
  readonly readPdf?: ReadPdf
  /** Aborts every wait at shutdown, before connections are cut. */
  readonly lastCall?: AbortSignal
}

const seqFault = 'must be the sequence number of a message'
const ChatBody = z.object({
  message: z.nullish(z.string()),
  content: z.nullish(z.string()),
  thread_id: z.nullish(z.string()),
  /** Sends the message in place of the one with this seq, in a variant of the thread. */
  before_seq: z.nullish(z.int(seqFault).check(z.minimum(1, seqFault))),
  model: z.nullish(z.string()),
  attachments: z.nullish(Attachments),
})

export function chatRoutes(parts: ChatParts): Route[] {
  const send = (
    caller: Caller,
    body: z.output<typeof ChatBody>,
    { raw, request }: FastifyReply,
    idempotency?: Idempotency,
  ) => {
    const reading = body.attachments?.length && {
      left: leaving(raw, parts.lastCall),
      stillAllowed: () => requireStillAllowed(request),
    }
    const given = { ...(idempotency && { idempotency }), ...(reading && { reading }) }
    return sendChat(parts, { caller, body, request: requestIdOf(raw), ...given })
  }
  return [
    route({
      method: 'POST',
      path: '/api/chat',
      who: 'user',
      counted: true,
      startsTurn: true,
      maxBodyBytes: maxFileBodyBytes,
      summary: 'Send a message and wait for the reply',
      body: ChatBody,
      answers: { 200: ChatAnswer },
      // Not async: its arguments, and with them the body, would be kept until the turn ends.
      handle: ({ caller, body }, reply) => answerChat(send(caller, body, reply), reply, parts),
    }),
    route({
      method: 'POST',
      path: '/api/chat/send',
      who: 'user',
      counted: true,
      startsTurn: true,
      maxBodyBytes: maxFileBodyBytes,
      summary: 'Send a message; the reply comes later',
      body: ChatBody,
      answers: { 202: SendAnswer },
      async handle({ caller, body }, reply) {
        const key = await idempotencyOf(reply, body)
        // A repeat gets its first answer before files are read, which takes long for PDFs and may fail another time.
        const known = key && body.attachments?.length ? await parts.turns.findByKey(caller.user, key) : undefined
        const { turn, id } = known
          ? { turn: known, id: await messageIdOf(parts, known) }
          : await accept(parts, await send(caller, body, reply, key))
        return reply.code(202).send({
          thread_id: turn.threadId,
          turn_id: turn.id,
          message_id: id ?? turn.id,
          status: 'accepted',
        } satisfies z.output<typeof SendAnswer>)
      },
    }),
  ]
}

/** Aborts when the client leaves, and at shutdown. */
function leaving(answer: ServerResponse, lastCall?: AbortSignal): AbortSignal {
  const left = new AbortController()
  const down = (): void =>
    left.abort(new AppError('shutting_down', 'the service is going down: try again', { retryAfterSecs: 5 }))
  const leave = (): void => {
    lastCall?.removeEventListener('abort', down)
    left.abort(new AppError('request_timeout', 'the client left before its files were read'))
  }
  lastCall?.addEventListener('abort', down, { once: true })
  answer.once('close', leave)
  if (lastCall?.aborted) down()
  if (answer.destroyed) leave()
  return left.signal
}

/** A sent message as it is told to its sender, who does not follow the turn. */
async function accept(parts: ChatParts, { turn, input, events, replayed }: Start) {
  events.close()
  return { turn, id: replayed ? await messageIdOf(parts, turn) : input[0]?.id }
}

async function answerChat(
  started: Promise<Start>,
  reply: FastifyReply,
  parts: ChatParts,
): Promise<z.output<typeof ChatAnswer>> {
  const { turn, entries } = await follow(await started, reply, parts)
  await requireStillAllowed(reply.request)
  const rests = isAtRest(turn.status)
  const gate = await parts.gates.ofTurn(turn)
  return {
    thread_id: turn.threadId,
    turn_id: turn.id,
    status: rests ? turn.status : 'running',
    response: rests ? replyText(entries) : null,
    usage: usageWire(usageSoFar(turn)),
    ...(gate && { gate: gateWire(gate) }),
    ...(turn.error && { error: faultWire(turn.error) }),
  }
}

/** The id of the message that began a turn, from the log or from the messages queued behind a running turn. */
export async function messageIdOf(
  { turns, threads }: Pick<ChatParts, 'turns' | 'threads'>,
  turn: Turn,
): Promise<string | undefined> {
  const { userId, threadId, firstSeq } = turn
  if (firstSeq === undefined) {
    const waiting = await threads.queued(userId, threadId, queuedBounds)
    const found = waiting.find(({ turnId }) => turnId === turn.id)
    if (found) return found.id
  }
  const begun = firstSeq === undefined ? await turns.get(userId, turn.id) : turn
  if (begun?.firstSeq === undefined) return undefined
  const { entries } = await threads.entries(userId, threadId, { after: begun.firstSeq - 1, limit: 1 })
  return entries[0]?.id
}

/** The Idempotency-Key header: a page that missed the answer sends again with the same key, and it is one message. */
async function idempotencyOf(
  { request }: FastifyReply,
  body: z.output<typeof ChatBody>,
): Promise<Idempotency | undefined> {
  const key = keyOf(request)
  return key === undefined ? undefined : { key: `chat:${key}`, bodyHash: await hashOfBody(body) }
}

/** A message from the chat routes or the WebSocket. */
export type Sending = {
  readonly caller: Caller
  readonly body: z.output<typeof ChatBody>
  /** The id of the HTTP request, for the log. */
  readonly request?: string
  readonly idempotency?: Idempotency
  /** For a message with files, which may take long to read. */
  readonly reading?: {
    /** Aborts when nobody waits for the message to be taken any more. */
    readonly left: AbortSignal
    /** Throws unauthorized once the token or session has ended. */
    readonly stillAllowed: () => Promise<void>
  }
}

/** Stores a message and starts its turn. Throws invalid_input, not_found, too_large. */
export async function sendChat(
  { turns, readPdf }: Pick<ChatParts, 'turns' | 'readPdf'>,
  { caller, body, request, idempotency, reading }: Sending,
): Promise<Start> {
  const message = body.message ?? body.content
  if (typeof message !== 'string') throw wrongField('message', 'is missing')
  checkMessage(message)
  const threadId = body.thread_id ?? undefined
  // A malformed id gets the same answer as the id of another user's thread.
  if (threadId !== undefined && !isUuid(threadId)) {
    throw new AppError('not_found', 'the thread does not exist', { param: 'thread_id' })
  }
  const beforeSeq = body.before_seq ?? undefined
  if (beforeSeq !== undefined && threadId === undefined) throw wrongField('thread_id', 'is missing beside before_seq')
  const parts = await partsOf(body.attachments ?? [], { readPdf, user: caller.user, signal: reading?.left })
  await reading?.stillAllowed()
  const content: Part[] = [{ type: 'text', text: message.toWellFormed() }, ...parts]
  return turns.start({
    user: caller.user,
    door: 'web',
    input: [{ type: 'message', role: 'user', content }],
    options: {},
    whenBusy: 'queue',
    allowedTools: caller.allowedTools,
    ...(request !== undefined && { request }),
    ...(idempotency && { idempotency }),
    ...(threadId !== undefined &&
      (beforeSeq === undefined ? { threadId } : { forks: { threadId, beforeSeq, variant: true } })),
    // Null is the usual model, where the message is said again; else it is no choice.
    ...((body.model || (body.model === null && beforeSeq !== undefined)) && { model: body.model }),
  })
}

/**
 * Waits until the turn is at rest. Returns its current state when the wait times out, the client leaves or the service
 * shuts down first; the turn itself continues.
 */
async function follow(
  start: Start,
  reply: FastifyReply,
  parts: ChatParts,
): Promise<{ turn: Turn; entries: readonly Entry[] }> {
  const { lastCall, turns, threads } = parts
  const stop = (): void => start.events.close()
  const timer = setTimeout(stop, parts.patienceMs ?? defaultPatienceMs)
  lastCall?.addEventListener('abort', stop, { once: true })
  if (lastCall?.aborted) stop()
  reply.raw.once('close', stop)
  const entries = [...start.entries]
  try {
    for await (const batch of start.events) {
      for (const event of batch) {
        if (event.type === 'entries') entries.push(...event.entries.filter(({ turnId }) => turnId === start.turn.id))
        if (event.type === 'turn' && isAtRest(event.turn.status)) {
          return { turn: event.turn, entries }
        }
      }
    }
  } finally {
    clearTimeout(timer)
    lastCall?.removeEventListener('abort', stop)
    reply.raw.off('close', stop)
  }
  const turn = await turns.get(start.turn.userId, start.turn.id)
  if (!turn) throw new AppError('not_found', 'the thread was deleted while its turn ran')
  return { turn, entries: await readEnd(threads, turn) }
}
