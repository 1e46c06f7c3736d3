// Events of a turn for the API doors: join a turn at any time, or wait for its end up to a deadline.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Entry } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import { isAtRest } from '#core/turn-status.ts'
import { nextTurn } from '#lib/pace.ts'
import type { Turns } from '#turns/turns.ts'
import type { Watched } from '#turns/watch.ts'

/** The events of a turn. The reader closes it when it stops reading. */
export type Source = AsyncIterable<readonly Watched[]> & { close(): void }

export type WaitParts = {
  readonly turns: Turns
  /** How long a turn may take before it is stopped. */
  readonly turnTimeoutMs: number
  /** Aborts shortly before open requests are cut: requests that still wait are answered with shutting_down. */
  readonly lastCall?: AbortSignal
}

export type RestingTurn = { readonly turn: Turn; readonly entries: readonly Entry[] }

/** How many of a turn's first entries are its input. */
export function inputCount({ options }: Pick<Turn, 'options'>): number {
  return options.inputs ?? 1
}

/** Joins a turn that may be running or over. Stored entries come first. */
export async function attach(turns: Turns, user: UserId, turn: Turn): Promise<{ turn: Turn; source: Source }> {
  const source = turns.follow(user, turn)
  const now = (await turns.get(user, turn.id)) ?? turn
  if (!isAtRest(now.status)) return { turn: now, source }
  source.close()
  // A long answer is read in one piece: several readers come one after the other.
  await nextTurn()
  const entries = await turns.entries(user, now)
  return { turn: now, source: fixedSource({ type: 'entries', entries }, { type: 'turn', turn: now }) }
}

/** A source of events that are all known already. */
export function fixedSource(...events: readonly Watched[]): Source {
  return {
    close() {},
    async *[Symbol.asyncIterator]() {
      yield events
    },
  }
}

/** Waits until a turn rests; stops it at the deadline. `entries` are those that the start of the turn returned. */
export async function waitForRest(
  { turns, turnTimeoutMs: timeoutMs, lastCall }: WaitParts,
  { turn, source }: { readonly turn: Turn; readonly source: Source },
  entries: readonly Entry[],
): Promise<RestingTurn> {
  let late = false
  const stopWaiting = (): void => source.close()
  lastCall?.addEventListener('abort', stopWaiting)
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
    lastCall?.removeEventListener('abort', stopWaiting)
  }
  if (!late) throw new AppError('shutting_down', 'the service is going down: ask again in a moment')
  const stopped = await turns.abandon(turn, timedOut(timeoutMs))
  return { turn: stopped, entries: await turns.entries(turn.userId, stopped) }
}

/**
 * True when the attempt that wrote a message which is still open was given up: the turn is queued again, or something else
 * follows. The model is asked again, and its new text does not continue the text that was written. `follows` tells whether an
 * entry of the turn is one that the reader has not had yet.
 */
export function isGivenUp(
  watched: Watched,
  turnId: string,
  itemId: string,
  follows: (entry: Entry) => boolean,
): boolean {
  switch (watched.type) {
    case 'delta':
    case 'snapshot':
      return watched.turnId === turnId && watched.itemId !== itemId && watched.after !== itemId
    case 'entries': {
      const next = watched.entries.find((entry) => entry.turnId === turnId && follows(entry))
      return next !== undefined && next.id !== itemId
    }
    case 'turn':
      return watched.turn.id === turnId && watched.turn.status === 'queued'
    case 'thought':
    case 'progress':
      return false
    default:
      return watched satisfies never
  }
}

/** Appends the turn's own entries. Returns the turn once it rests. */
function gather(events: readonly Watched[], turnId: string, entries: Entry[]): Turn | undefined {
  for (const event of events) {
    if (event.type === 'entries') entries.push(...event.entries.filter((entry) => entry.turnId === turnId))
    else if (event.type === 'turn' && event.turn.id === turnId && isAtRest(event.turn.status)) return event.turn
  }
  return undefined
}

function timedOut(timeoutMs: number): AppError {
  const secs = Math.round(timeoutMs / 1000)
  return new AppError('turn_timeout', `the turn was stopped after ${secs} seconds: send stream: true for long work`)
}
