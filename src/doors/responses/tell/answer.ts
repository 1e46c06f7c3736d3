// Answers with a turn: as a stream of events, or as one object at its end.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Entry } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import { type Source, waitForRest, type WaitParts } from '#doors/openai/turn-events.ts'
import { requestIdOf } from '#http/request-log.ts'
import { openEvents } from '#http/sse.ts'
import type { Log } from '#lib/log.ts'
import { outputOf, type ResponseState } from './output.ts'
import { createStream, type EventStyle } from './stream.ts'

export type FollowedTurn = {
  readonly turn: Turn
  readonly model: string
  readonly source: Source
  /** How many input items the source yields first. */
  readonly skip: number
  readonly events: EventStyle
}

/** The style of a stream's events: that of the header X-Atrium-Events, else the configured one. */
export function eventStyle({ headers }: FastifyRequest, configured: EventStyle): EventStyle {
  const asked = headers['x-atrium-events']
  return asked === 'reference' || asked === 'specified' ? asked : configured
}

/** Streams a turn to its end. When the client leaves or reads too slowly, only the stream ends; the turn goes on. */
export async function streamTurn(
  reply: FastifyReply,
  followed: FollowedTurn & { after?: number },
  log: Log,
): Promise<void> {
  const { source } = followed
  const stream = createStream(followed)
  const writer = openEvents(reply, () => source.close())
  writer.send(stream.created())
  try {
    for await (const events of source) {
      const text = stream.write(events)
      if (stream.over) {
        writer.end(text)
        return
      }
      writer.sendSoon(text)
    }
  } catch (error) {
    log.warn(
      { request: requestIdOf(reply.raw), turn: followed.turn.id, err: error },
      'a response stream ended early; its turn continues',
    )
  }
  writer.drop()
}

/** The response of a turn once it rests. `entries` are those that the start of the turn returned. */
export async function collectTurn(
  parts: WaitParts,
  { model, ...followed }: Omit<FollowedTurn, 'skip' | 'events'>,
  entries: readonly Entry[],
): Promise<ResponseState> {
  const rest = await waitForRest(parts, followed, entries)
  return { turn: rest.turn, model, ...outputOf(rest.turn, rest.entries) }
}
