// The events of a turn for a door that answers with its end: joined at any time, waited for up to a deadline.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Entry } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import type { Turns } from '#turns/turns.ts'
import type { Watched } from '#turns/watch.ts'

/** Where the events of a turn come from; closed by whoever stops reading. */
export type Source = AsyncIterable<readonly Watched[]> & { close(): void }

export type WaitParts = {
  readonly turns: Turns
  /** How long a turn may take before it is stopped. */
  readonly turnTimeoutMs: number
  /** Fires shortly before open requests are cut: whoever still waits is told to come back. */
  readonly lastCall?: AbortSignal
}

/** A turn that is at rest, with its entries. */
export type RestingTurn = { readonly turn: Turn; readonly entries: readonly Entry[] }

/** True once a caller gets an answer: the turn ended, or waits for somebody. */
function isAtRest({ status }: Turn): boolean {
  return status !== 'queued' && status !== 'running'
}

/** Joins a turn that may run or be over: what is stored comes first. */
export async function attach(turns: Turns, user: UserId, turn: Turn): Promise<{ turn: Turn; source: Source }> {
  const source = turns.follow(user, turn)
  const now = (await turns.get(user, turn.id)) ?? turn
  if (!isAtRest(now)) return { turn: now, source }
  source.close()
  const entries = await turns.entries(user, now)
  return { turn: now, source: fixedSource({ type: 'entries', entries }, { type: 'turn', turn: now }) }
}

/** Events that are all known already. */
export function fixedSource(...events: readonly Watched[]): Source {
  return {
    close() {},
    async *[Symbol.asyncIterator]() {
      yield events
    },
  }
}

/** Waits for the end of a turn, up to a deadline that stops it. `entries` are those its start has brought already. */
export async function waitForRest(
  { turns, turnTimeoutMs: timeoutMs, lastCall }: WaitParts,
  { turn, source }: { readonly turn: Turn; readonly source: Source },
  entries: readonly Entry[],
): Promise<RestingTurn> {
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
      if (rest) return { turn: rest, entries: gathered }
    }
  } finally {
    clearTimeout(timer)
    lastCall?.removeEventListener('abort', leave)
  }
  if (!late) throw new AppError('shutting_down', 'the service is going down: ask again in a moment')
  const stopped = await turns.abandon(turn, timedOut(timeoutMs))
  return { turn: stopped, entries: await turns.entries(turn.userId, stopped) }
}

/** Adds the turn's own entries; returns the turn once it rests. */
function gather(events: readonly Watched[], turnId: string, entries: Entry[]): Turn | undefined {
  for (const event of events) {
    if (event.type === 'entries') entries.push(...event.entries.filter((entry) => entry.turnId === turnId))
    else if (event.type === 'turn' && event.turn.id === turnId && isAtRest(event.turn)) return event.turn
  }
  return undefined
}

function timedOut(timeoutMs: number): AppError {
  const secs = Math.round(timeoutMs / 1000)
  return new AppError('turn_timeout', `the turn was stopped after ${secs} seconds: send stream: true for long work`)
}
