// Answers with a turn: as a stream of events, or as one object at its end.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Entry } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import { noteBeginnings } from '#doors/openai/stopped-answer.ts'
import { type Source, waitForRest, type WaitParts } from '#doors/openai/turn-events.ts'
import type { ResponsesParts } from '#doors/responses/parts.ts'
import { requestIdOf } from '#http/request-log.ts'
import { createLateJson } from '#http/late-json.ts'
import { openEvents } from '#http/sse.ts'
import { outputOf, type ResponseState } from './output.ts'
import { createStream, type StreamParts } from './stream.ts'
import type { EventStyle } from './stream-records.ts'

export type FollowedTurn = {
  readonly turn: Turn
  readonly model: string
  readonly source: Source
  /** How many input items the source yields first. */
  readonly skip: number
  readonly events: EventStyle
  /** The request that is answered began the turn. */
  readonly begins?: boolean
}

/** The style of a stream's events: that of the header X-Atrium-Events, else the configured one. */
export function eventStyle({ headers }: FastifyRequest, configured: EventStyle): EventStyle {
  const style = headers['x-atrium-events']
  return style === 'reference' || style === 'specified' ? style : configured
}

/** Streams a turn to its end. When the client leaves or reads too slowly, the stream ends; `readers` judge the turn. */
export async function streamTurn(
  reply: FastifyReply,
  followed: FollowedTurn & Pick<StreamParts, 'after' | 'record'>,
  parts: Pick<ResponsesParts, 'readers' | 'records' | 'threads' | 'lastCall' | 'log'>,
): Promise<void> {
  const { readers, records, lastCall, log } = parts
  const { source, turn } = followed
  const late = createLateJson()
  const stream = createStream({ ...followed, json: late.json })
  const reader = readers.open(turn, followed.begins)
  records.open(stream.record)
  let over = false
  let noting: Promise<void> | undefined
  const warn = (error: unknown): void =>
    log.warn(
      { request: requestIdOf(reply.raw), turn: turn.id, err: error },
      'a response stream ended early; its turn continues',
    )
  const writer = openEvents(reply, () => {
    source.close()
    if (stream.isOver()) records.over(stream.record)
    else records.left(stream.record)
    // A stream that is cut at shutdown was not left by its reader.
    if (over || lastCall?.aborted) return reader.done()
    reader.left()
    const { chain: history } = turn.options
    if (history === undefined) return
    noting = noteBeginnings(parts, turn, { history, beginnings: () => stream.beginnings() }).catch(warn)
  })
  // The headers leave with the first write: a client that goes on waits for them, and may not wait for the next event.
  const beginning = stream.created() || ': resumed\n\n'
  try {
    // It has the instructions and tools of the request.
    if (late.isLate(beginning)) await writer.sendInPieces(late.pieces(beginning))
    else writer.begin(beginning)
    for await (const events of source) {
      const text = stream.write(events)
      const isLate = late.isLate(text)
      over = stream.isOver()
      if (isLate) await writer.sendInPieces(late.pieces(text))
      if (over) return writer.end(isLate ? '' : text)
      if (!isLate) writer.send(text)
    }
  } catch (error) {
    warn(error)
  }
  // The events ended before the turn: the reader did not leave, or that was noted already.
  over = true
  await noting
  writer.drop()
}

/** The response of a turn once it rests. `entries` are those that the start of the turn returned. */
export async function collectTurn(
  parts: WaitParts & Pick<ResponsesParts, 'readers'>,
  { model, ...followed }: Omit<FollowedTurn, 'skip' | 'events'>,
  entries: readonly Entry[],
): Promise<ResponseState> {
  const reader = parts.readers.open(followed.turn, followed.begins)
  const rest = await waitForRest(parts, followed, entries).finally(() => reader.done())
  return { turn: rest.turn, model, ...outputOf(rest.turn, rest.entries) }
}
