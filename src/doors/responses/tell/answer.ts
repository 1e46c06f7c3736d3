// Answering with a turn: its events as a stream, or its end as one object.
import type { FastifyReply } from 'fastify'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Entry } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import type { ResponsesParts } from '#doors/responses/parts.ts'
import { requestIdOf } from '#http/request-log.ts'
import { openEvents } from '#http/sse.ts'
import type { Log } from '#lib/log.ts'
import type { Turns } from '#turns/turns.ts'
import type { Watched } from '#turns/watch.ts'
import { outputOf, type Shown, wireStatus } from './output.ts'
import { createStream } from './stream.ts'

/** Where the events of a turn come from; closed by whoever stops reading. */
export type Source = AsyncIterable<readonly Watched[]> & { close(): void }

export type Telling = {
  readonly turn: Turn
  readonly model: string
  readonly source: Source
  /** Input items that the source will bring. */
  readonly skip: number
}

/** Streams a turn to its end. A client that vanishes, or reads too slowly, only ends the watching. */
export async function streamTurn(reply: FastifyReply, telling: Telling & { after?: number }, log: Log): Promise<void> {
  const { source } = telling
  const stream = createStream(telling)
  const writer = openEvents(reply, () => source.close())
  writer.send(stream.created())
  try {
    for await (const events of source) {
      const text = stream.tell(events)
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

/** Waits for the end of a turn, up to a deadline that stops it. `entries` are those its start has brought already. */
export async function collectTurn(
  { turns, turnTimeoutMs: timeoutMs, lastCall }: Pick<ResponsesParts, 'turns' | 'turnTimeoutMs' | 'lastCall'>,
  { turn, model, source }: Omit<Telling, 'skip'>,
  entries: readonly Entry[],
): Promise<Shown> {
  let late = false
  const leave = (): void => source.close()
  lastCall?.addEventListener('abort', leave)
  const timer = setTimeout(() => {
    late = true
    source.close()
  }, timeoutMs)
  const gathered = [...entries]
  try {
    for await (const events of source) {
      const rest = gather(events, turn.id, gathered)
      if (rest) return { turn: rest, model, ...outputOf(rest, gathered) }
    }
  } finally {
    clearTimeout(timer)
    lastCall?.removeEventListener('abort', leave)
  }
  if (!late) throw new AppError('shutting_down', 'the service is going down: ask again in a moment')
  const stopped = await turns.abandon(turn, timedOut(timeoutMs))
  return { turn: stopped, model, ...outputOf(stopped, await turns.entries(turn.userId, stopped)) }
}

/** Joins a turn that may run or be over: what is stored comes first. */
export async function attach(turns: Turns, user: UserId, turn: Turn): Promise<{ turn: Turn; source: Source }> {
  const source = turns.follow(user, turn)
  const now = (await turns.get(user, turn.id)) ?? turn
  if (wireStatus(now) === 'in_progress') return { turn: now, source }
  source.close()
  const entries = await turns.entries(user, now)
  return { turn: now, source: told({ type: 'entries', entries }, { type: 'turn', turn: now }) }
}

/** Events that are all known already. */
export function told(...events: readonly Watched[]): Source {
  return {
    close() {},
    async *[Symbol.asyncIterator]() {
      yield events
    },
  }
}

/** Adds the turn's own entries; returns the turn once it rests. */
function gather(events: readonly Watched[], turnId: string, entries: Entry[]): Turn | undefined {
  for (const event of events) {
    if (event.type === 'entries') entries.push(...event.entries.filter((entry) => entry.turnId === turnId))
    else if (event.type === 'turn' && event.turn.id === turnId && wireStatus(event.turn) !== 'in_progress')
      return event.turn
  }
  return undefined
}

function timedOut(timeoutMs: number): AppError {
  const secs = Math.round(timeoutMs / 1000)
  return new AppError('turn_timeout', `the turn was stopped after ${secs} seconds: send stream: true for long work`)
}
