// The line for a place among the running turns: callers who wait for their reply, one turn of each user. A user who has
// nothing running gets the next place, however many turns others run or have queued.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'

/** Each holds a message in memory. Half as many as run: those in line wait for about a turn's time at most. */
const maxInLine = 500
const lineShare = 0.5
/** Shorter than the patience of most HTTP clients. */
const maxWaitMs = 30_000
/** Retry-After while the maximum of turns runs: turns end all the time. */
const fullRetrySecs = 2

export interface Line {
  /** True if the line has room for a turn of this user, who has none in it. */
  takes(user: UserId): boolean
  /** Waits for a place, and keeps it until it is released. Throws overloaded after a while, or what `close` was given. */
  wait(user: UserId): Promise<Place>
  /** Places that were given and not released yet. They count as taken. */
  readonly given: number
  /** Gives free places to those who wait, in order. Returns whether there was one to give and somebody to get it. */
  advance(): boolean
  /** Refuses those who wait. */
  close(reason: AppError): void
}

export type Place = { release(): void }

type Waiting = { readonly enter: () => void; readonly leave: (reason: AppError) => void }

/** `isFree` tells whether another turn may run, `maxRunning` how many may. */
export function createLine(isFree: () => boolean, maxRunning: number): Line {
  const max = Math.min(maxInLine, Math.max(1, Math.floor(maxRunning * lineShare)))
  const line = new Map<UserId, Waiting>()
  let given = 0

  function give(): Place {
    given++
    let held = true
    return {
      release() {
        if (held) given--
        held = false
      },
    }
  }

  return {
    takes: (user) => line.size < max && !line.has(user),
    wait(user) {
      const { promise, resolve, reject } = Promise.withResolvers<Place>()
      const over = (settle: () => void): void => {
        clearTimeout(timer)
        line.delete(user)
        settle()
      }
      const leave = (reason: AppError): void => over(() => reject(reason))
      const timer = setTimeout(() => leave(overloaded()), maxWaitMs)
      line.set(user, { enter: () => over(() => resolve(give())), leave })
      return promise
    },
    get given() {
      return given
    },
    advance() {
      let moved = false
      for (const { enter } of line.values()) {
        if (!isFree()) break
        enter()
        moved = true
      }
      return moved
    },
    close(reason) {
      for (const { leave } of line.values()) leave(reason)
    },
  }
}

/** The refusal of a turn that nobody has a place for. */
export function overloaded(): AppError {
  const message = 'as many turns run as may: try again in a moment, or raise TURNS_MAX_RUNNING'
  return new AppError('overloaded', message, { retryAfterSecs: fullRetrySecs })
}
