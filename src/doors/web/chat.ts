// POST /api/chat, which waits for the reply, and POST /api/chat/send, which does not.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import { isUuid } from '#core/ids.ts'
import type { Entry, Part } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import type { ChatLimit } from '#http/caller.ts'
import { usageWire } from '#http/usage.ts'
import { checkMessage, type Start, type Turns } from '#turns/turns.ts'
import { Attachments, partsOf } from './attachments.ts'
import { checkBody } from './check.ts'
import { answers, type OpenApiPaths, takes } from './openapi.ts'
import { FaultWire, GateWire, jobStatus, jobStatuses, openGate, replyText, UsageWire } from './wire.ts'

/** How long POST /api/chat waits for the turn; after that the turn goes on alone. */
const usualPatienceMs = 120_000

export type ChatParts = {
  readonly turns: Turns
  readonly chatLimit: ChatLimit
  readonly patienceMs?: number
  /** Ends every wait: the connection is about to be cut. */
  readonly lastCall?: AbortSignal
}

const ChatBody = z.object({
  message: z.nullish(z.string()),
  content: z.nullish(z.string()),
  thread_id: z.nullish(z.string()),
  attachments: z.nullish(Attachments),
})

const ChatAnswer = z.object({
  thread_id: z.string(),
  turn_id: z.string(),
  status: z.enum(jobStatuses),
  response: z.nullable(z.string()),
  usage: UsageWire,
  gate: z.optional(GateWire),
  error: z.optional(FaultWire),
})

const SendAnswer = z.object({
  thread_id: z.string(),
  turn_id: z.string(),
  message_id: z.string(),
  status: z.literal('accepted'),
})

export function registerChat(app: FastifyInstance, parts: ChatParts): void {
  // Before the body is read, so that refused sends count too and a flood costs little.
  const counted = { onRequest: (request: FastifyRequest) => parts.chatLimit.take(request.caller) }

  app.post('/api/chat', counted, async (request, reply) => {
    const start = await send(request, parts.turns)
    const { turn, entries } = await follow(start, reply, parts)
    const atRest = turn.status !== 'queued' && turn.status !== 'running'
    const gate = turn.status === 'waiting' ? openGate(entries) : undefined
    return {
      thread_id: turn.threadId,
      turn_id: turn.id,
      status: atRest ? jobStatus(turn.status) : 'running',
      response: atRest ? replyText(entries) : null,
      usage: usageWire(turn.usage),
      ...(gate && { gate }),
      ...(turn.error && { error: turn.error }),
    } satisfies z.output<typeof ChatAnswer>
  })

  app.post('/api/chat/send', counted, async (request, reply) => {
    const { turn, input, events } = await send(request, parts.turns)
    events.close()
    return reply.code(202).send({
      thread_id: turn.threadId,
      turn_id: turn.id,
      message_id: input[0]?.id ?? turn.id,
      status: 'accepted',
    } satisfies z.output<typeof SendAnswer>)
  })
}

export function chatPaths(): OpenApiPaths {
  return {
    '/api/chat': {
      post: { summary: 'Send a message and wait for the reply', ...takes(ChatBody), ...answers(200, ChatAnswer) },
    },
    '/api/chat/send': {
      post: { summary: 'Send a message; the reply comes later', ...takes(ChatBody), ...answers(202, SendAnswer) },
    },
  }
}

async function send({ body, caller }: FastifyRequest, turns: Turns): Promise<Start> {
  const given = checkBody(ChatBody, body)
  const message = given.message ?? given.content
  if (typeof message !== 'string') throw new AppError('invalid_input', 'message is missing', { param: 'message' })
  checkMessage(message)
  const threadId = given.thread_id ?? undefined
  // An id that cannot be one is as unknown as one that is not ours.
  if (threadId !== undefined && !isUuid(threadId)) {
    throw new AppError('not_found', 'the thread does not exist', { param: 'thread_id' })
  }
  const content: Part[] = [{ type: 'text', text: message.toWellFormed() }, ...partsOf(given.attachments ?? [])]
  return turns.start({
    user: caller.user,
    door: 'web',
    input: [{ type: 'message', role: 'user', content }],
    options: {},
    whenBusy: 'queue',
    ...(threadId !== undefined && { threadId }),
  })
}

/** The turn at its rest, or as it stands when patience, the client or the service ends first. It goes on regardless. */
async function follow(
  start: Start,
  reply: FastifyReply,
  parts: ChatParts,
): Promise<{ turn: Turn; entries: readonly Entry[] }> {
  const { lastCall, turns } = parts
  const stop = (): void => start.events.close()
  const timer = setTimeout(stop, parts.patienceMs ?? usualPatienceMs)
  lastCall?.addEventListener('abort', stop, { once: true })
  if (lastCall?.aborted) stop()
  reply.raw.once('close', stop)
  const entries = [...start.entries]
  try {
    for await (const batch of start.events) {
      for (const event of batch) {
        if (event.type === 'entries') entries.push(...event.entries.filter(({ turnId }) => turnId === start.turn.id))
        if (event.type === 'turn' && event.turn.status !== 'queued' && event.turn.status !== 'running') {
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
  return { turn, entries: await turns.entries(turn.userId, turn) }
}
