// Answering with a turn: its events as a stream, or its end as one object.
import type { FastifyReply } from 'fastify'
import type { Entry } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import { type Source, waitForRest, type WaitParts } from '#doors/openai/turn-events.ts'
import { requestIdOf } from '#http/request-log.ts'
import { openEvents } from '#http/sse.ts'
import type { Log } from '#lib/log.ts'
import { outputOf, type ResponseState } from './output.ts'
import { createStream } from './stream.ts'

export type TurnStream = {
  readonly turn: Turn
  readonly model: string
  readonly source: Source
  /** Input items that the source will bring. */
  readonly skip: number
}

/** Streams a turn to its end. A client that vanishes, or reads too slowly, only ends the watching. */
export async function streamTurn(
  reply: FastifyReply,
  telling: TurnStream & { after?: number },
  log: Log,
): Promise<void> {
  const { source } = telling
  const stream = createStream(telling)
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
      { request: requestIdOf(reply.raw), turn: telling.turn.id, err: error },
      'a stream broke off; its turn goes on',
    )
  }
  writer.drop()
}

/** The response of a turn, once it is at rest. `entries` are those its start has brought already. */
export async function collectTurn(
  parts: WaitParts,
  { model, ...telling }: Omit<TurnStream, 'skip'>,
  entries: readonly Entry[],
): Promise<ResponseState> {
  const rest = await waitForRest(parts, telling, entries)
  return { turn: rest.turn, model, ...outputOf(rest.turn, rest.entries) }
}
