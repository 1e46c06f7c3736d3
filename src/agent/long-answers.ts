// Bounds the long answers that are in memory at once. A model writes an answer into memory until it is complete and stored;
// hundreds of long ones together would fill it. The stream of one that has to wait is not read meanwhile.
import type { UserId } from '#core/ids.ts'
import { waitInLine } from '#lib/semaphore.ts'

/** Answers with less go on without waiting: more than nearly any model writes at once. */
const minLongBytes = 256 * 1024
const defaultMax = { inAll: 32, ofUser: 8 }
/** The last places are for users who have none: a few users with many slow answers do not stop the others. */
const firstShare = 1 / 4

/** The room for the answers of one turn. */
export interface AnswerRoom {
  /** The answer has so many bytes now. Waits while it may not grow. Rejects when the signal aborts. */
  grow(bytes: number, signal: AbortSignal): Promise<void> | undefined
  /** The answer is stored, or given up. */
  release(): void
}

export interface LongAnswers {
  of(user: UserId): AnswerRoom
}

type Waiting = { readonly user: UserId; readonly admit: () => void }

export function createLongAnswers(max = defaultMax): LongAnswers {
  const forFirst = Math.floor(max.inAll * firstShare)
  const waiting: Waiting[] = []
  const held = new Map<UserId, number>()
  let free = max.inAll

  const heldBy = (user: UserId): number => held.get(user) ?? 0

  function mayTake(user: UserId): boolean {
    const own = heldBy(user)
    return own === 0 ? free > 0 : own < max.ofUser && free > forFirst
  }

  function hold(user: UserId): void {
    free--
    held.set(user, heldBy(user) + 1)
  }

  function release(user: UserId): void {
    free++
    const left = heldBy(user) - 1
    if (left > 0) held.set(user, left)
    else held.delete(user)
    const next = nextOf()
    if (!next) return
    waiting.splice(waiting.indexOf(next), 1)
    hold(next.user)
    next.admit()
  }

  /** Of the users who may take a place, one with the fewest; of equals the one who came first. */
  function nextOf(): Waiting | undefined {
    return waiting
      .filter(({ user }) => mayTake(user))
      .reduce<Waiting | undefined>(
        (best, each) => (best && heldBy(best.user) <= heldBy(each.user) ? best : each),
        undefined,
      )
  }

  async function take(user: UserId, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (mayTake(user)) return hold(user)
    return waitInLine(waiting, { entryOf: (admit) => ({ user, admit }), signal })
  }

  return {
    of(user) {
      let holds = false
      return {
        grow(bytes, signal) {
          if (holds || bytes < minLongBytes) return undefined
          return take(user, signal).then(() => {
            holds = true
          })
        },
        release() {
          if (holds) release(user)
          holds = false
        },
      }
    },
  }
}
