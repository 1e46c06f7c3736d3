// Answers with a turn: as a stream of chunks, or as one object at its end.
import type { FastifyReply } from 'fastify'
import { AppError } from '#core/errors.ts'
import type { Entry } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import { errorEnvelope } from '#doors/openai/error-envelope.ts'
import { noteBeginnings, notePoint } from '#doors/openai/stopped-answer.ts'
import { inputCount, type Source, waitForRest } from '#doors/openai/turn-events.ts'
import type { CompletionsParts } from '#doors/completions/parts.ts'
import { requireStillAllowed } from '#http/caller.ts'
import { requestIdOf } from '#http/request-log.ts'
import { type EventWriter, openEvents } from '#http/sse.ts'
import { createStream } from './chunks.ts'
import { gateWords } from './gate-words.ts'
import { completionId, completionObject, faultOf, finishReason, joinText, statusOfFault, toldOf } from './told.ts'

/** A stream opens with its first chunk, so that a fault before it has a status; at the latest after this time. */
export const maxSilenceMs = 10_000

/** Fields of the request that its answer needs. */
export type AnswerStyle = {
  readonly model: string
  readonly stream: boolean
  readonly includeUsage: boolean
  /** The hash of the history that was sent. */
  readonly history: string
  /** The address of a thread's page. */
  readonly linkOf: (threadId: string) => string
}

export type FollowedTurn = {
  readonly turn: Turn
  readonly source: Source
  /** Entries that the start of the turn returned. */
  readonly entries: readonly Entry[]
  /** The request began the turn. */
  readonly begins: boolean
}

export async function answerTurn(
  parts: CompletionsParts,
  reply: FastifyReply,
  how: AnswerStyle,
  followed: FollowedTurn,
) {
  const { turn } = followed
  nameTurn(reply, turn)
  return how.stream ? streamTurn(parts, reply, how, followed) : collectTurn(parts, reply, how, followed)
}

/** On the raw answer: a stream does not send the headers of Fastify's reply. */
export function nameTurn({ raw }: FastifyReply, { id, threadId }: Pick<Turn, 'id' | 'threadId'>): void {
  raw.setHeader('x-atrium-thread', threadId)
  raw.setHeader('x-atrium-turn', id)
}

async function collectTurn(parts: CompletionsParts, reply: FastifyReply, how: AnswerStyle, followed: FollowedTurn) {
  const reader = parts.readers.open(followed.turn, followed.begins)
  const { turn, entries } = await waitForRest(parts, followed, followed.entries).finally(() => reader.done())
  await requireStillAllowed(reply.request)
  const fault = faultOf(turn)
  if (fault) return refuseTurn(reply, fault)
  const told = toldOf(turn, entries)
  const waits = turn.status === 'waiting'
  const content = waits ? joinText(told.content, gateWords(told.gates, how.linkOf(turn.threadId))) : told.content
  if (waits) await notePoint(parts, turn, { ...how, content })
  const { reasoning, ...rest } = told
  return completionObject({
    id: completionId(turn.id),
    createdAt: turn.createdAt,
    model: how.model,
    told: { ...rest, content, reasoning: parts.progress ? reasoning : '' },
    finish: finishReason(turn, told),
    usage: turn.usage,
  })
}

/** Streams a turn to its end. When the client leaves, `readers` judge the turn. */
async function streamTurn(parts: CompletionsParts, reply: FastifyReply, how: AnswerStyle, followed: FollowedTurn) {
  const { turn, source, entries } = followed
  const { model, includeUsage } = how
  const stream = createStream({
    turn,
    id: completionId(turn.id),
    createdAt: turn.createdAt,
    model,
    includeUsage,
    skip: inputCount(turn) - entries.length,
    progress: parts.progress,
    link: how.linkOf(turn.threadId),
  })
  let writer: EventWriter | undefined
  const reader = parts.readers.open(turn, followed.begins)
  let over = false
  let noting: Promise<void> | undefined
  const leave = (): void => {
    source.close()
    // A stream that is cut at shutdown was not left by its reader.
    if (over || parts.lastCall?.aborted) return reader.done()
    reader.left()
    noting = noteBeginnings(parts, turn, { ...how, beginnings: () => stream.beginnings() }).catch(log)
  }
  const open = (): EventWriter => {
    if (writer) return writer
    reply.raw.off('close', leave)
    writer = openEvents(reply, leave)
    writer.begin(stream.begin())
    return writer
  }
  reply.raw.once('close', leave)
  const silence = setTimeout(open, parts.maxSilenceMs ?? maxSilenceMs)
  try {
    for await (const events of source) {
      const chunks = stream.write(events)
      if (stream.rest()) return await endStream(chunks)
      if (chunks !== '') open().send(chunks)
    }
  } catch (error) {
    over = true
    if (!writer) throw error
    log(error)
  } finally {
    clearTimeout(silence)
  }
  // The source ended without the turn: the client left, or the service is going down.
  over = true
  await noting
  if (writer) writer.drop()
  else if (!reply.raw.destroyed) throw new AppError('shutting_down', 'the service is going down: ask again in a moment')
  return undefined

  async function endStream(chunks: string) {
    over = true
    const rest = stream.rest() ?? turn
    const fault = faultOf(rest)
    if (fault && !writer) return refuseTurn(reply, fault)
    if (rest.status === 'waiting') await notePoint(parts, rest, { ...how, content: stream.content() })
    open().end(chunks + stream.end())
    return undefined
  }

  function log(error: unknown): void {
    const at = { request: requestIdOf(reply.raw), turn: turn.id, err: error }
    parts.log.warn(at, 'a completion stream ended early; its turn continues')
  }
}

/** The turn is stored and its tools may have run, so clients of OpenAI's are told not to send it again by themselves. */
function refuseTurn(reply: FastifyReply, fault: AppError) {
  const status = statusOfFault(fault)
  reply.header('x-should-retry', 'false')
  return reply.code(status).send(errorEnvelope(fault, status))
}
