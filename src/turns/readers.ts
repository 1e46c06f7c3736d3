// Readers of the streams of API turns. A reader that leaves and is not back in time stops the turn, as Stop in every app
// means it. Only leaving counts: a turn without any reader, as after a crash of the service, goes on.
import type { Bus, Signal } from '#core/bus.ts'
import { doorOf } from '#core/doors.ts'
import { newId } from '#core/ids.ts'
import type { Turn } from '#core/turn.ts'
import { isAtRest } from '#core/turn-status.ts'
import type { Clock, Timer } from '#lib/clock.ts'
import type { Turns } from './turns.ts'

/** How long a reader may be away. */
const maxAwayMs = 10_000

export interface Readers {
  /** A stream of the turn was opened; `begins` if by the request that began the turn. Call one function at its end. */
  open(turn: Turn, begins?: boolean): Reader
  /** Somebody asked for the turn: a reader that is away gets its time again. */
  seen(turn: Turn): void
  /** True for a turn that stops when its client goes on. Another reader that is still there keeps it running. */
  canStop(turn: Turn): boolean
  /** True for such a turn that nobody reads at this process. */
  isLeft(turn: Turn): boolean
  /** The client of the turn has sent its next message: a reader that is away will not be back, and the turn stops. */
  gone(turnId: string): void
}

export type Reader = {
  /** The reader left before the end of the stream. */
  left(): void
  /** The stream came to its end, or ended through no doing of its reader. */
  done(): void
}

export type ReadersParts = {
  readonly turns: Pick<Turns, 'get' | 'cancel'>
  readonly bus: Pick<Bus, 'signal' | 'onSignal'>
  /** False keeps every turn running. */
  readonly stopsTurns: boolean
  readonly clock: Pick<Clock, 'now' | 'at'>
}

/** A turn, and since when it has no reader. */
type ReadTurn = Pick<Turn, 'id' | 'userId'> & { readonly since: number }
type ReaderSignal = Extract<Signal, { type: 'reader' }>

export function createReaders(parts: ReadersParts): Readers {
  const { turns, bus, clock } = parts
  /** Names this process in signals: it hears its own. */
  const self = newId()
  /** Readers that are open now, and how many were opened since the first of them. */
  const open = new Map<string, { readonly now: number; readonly ever: number }>()
  const away = new Map<string, { readonly turn: ReadTurn; readonly timer: Timer }>()

  function send(turnId: string, what: ReaderSignal['what']): void {
    bus.signal({ type: 'reader', turnId, what, from: self })
  }

  function arm(turn: ReadTurn, ms = maxAwayMs): void {
    disarm(turn.id)
    const timer = clock.at(clock.now() + ms, 'stop a turn whose reader has left', () => stop(turn))
    away.set(turn.id, { turn, timer })
  }

  function disarm(turnId: string): void {
    void away.get(turnId)?.timer.stop()
    away.delete(turnId)
  }

  async function stop({ id, userId, since }: ReadTurn): Promise<void> {
    away.delete(id)
    const turn = await turns.get(userId, id)
    // A turn that a person has approved since goes on by itself: the stream of its reader ends at a gate.
    if (!turn || isAtRest(turn.status) || (turn.answeredAt !== undefined && turn.answeredAt >= since)) return
    if (!open.has(id)) await turns.cancel(userId, id)
  }

  function close(turnId: string): void {
    const { now, ever } = open.get(turnId) ?? { now: 1, ever: 1 }
    if (now > 1) open.set(turnId, { now: now - 1, ever })
    else open.delete(turnId)
  }

  // Readers of one turn may be at several processes. The process of the reader that leaves last waits for it.
  bus.onSignal((signal) => {
    if (signal.type !== 'reader' || signal.from === self) return
    const { turnId, what } = signal
    if (what === 'left' && open.has(turnId)) send(turnId, 'reading')
    if (what === 'reading') disarm(turnId)
    const waiting = away.get(turnId)
    if (what === 'seen' && waiting) arm(waiting.turn)
    if (what === 'gone' && waiting) arm(waiting.turn, 0)
  })

  /** A single reader is the client itself, whose leaving may not have been noticed yet. */
  const canStop = (turn: Turn): boolean =>
    parts.stopsTurns && endsWithoutReader(turn) && (open.get(turn.id)?.ever ?? 0) < 2

  return {
    canStop,
    isLeft: (turn) => canStop(turn) && !open.has(turn.id),
    open(turn, begins = false) {
      if (!parts.stopsTurns || !endsWithoutReader(turn)) return ignored
      if (!begins) send(turn.id, 'reading')
      const { now, ever } = open.get(turn.id) ?? { now: 0, ever: 0 }
      open.set(turn.id, { now: now + 1, ever: ever + 1 })
      disarm(turn.id)
      return {
        done: () => close(turn.id),
        left() {
          close(turn.id)
          if (open.has(turn.id)) return
          arm({ id: turn.id, userId: turn.userId, since: clock.now() })
          send(turn.id, 'left')
        },
      }
    },
    seen(turn) {
      if (!parts.stopsTurns || isAtRest(turn.status) || !endsWithoutReader(turn)) return
      const waiting = away.get(turn.id)
      if (waiting) arm(waiting.turn)
      else send(turn.id, 'seen')
    },
    gone(turnId) {
      if (!parts.stopsTurns) return
      const waiting = away.get(turnId)
      if (waiting) arm(waiting.turn, 0)
      else send(turnId, 'gone')
    },
  }
}

const ignored: Reader = { left() {}, done() {} }

/** True for a turn that only its caller waits for: it was neither sent in the background nor with an Idempotency-Key. */
function endsWithoutReader({ door, options }: Turn): boolean {
  return doorOf(door).stopsWithoutReader && !options.unattended
}
