// Bounds the long answers that are in memory at once. A model writes an answer into memory until it is complete and stored;
// hundreds of long ones together would fill it. The stream of one that has to wait is not read meanwhile.
import type { UserId } from '#core/ids.ts'
import { createSemaphore, createSemaphores } from '#lib/semaphore.ts'

/** Answers with less go on without waiting: more than nearly any model writes at once. */
const minLongBytes = 256 * 1024
const defaultMax = { inAll: 32, ofUser: 8 }

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

export function createLongAnswers(max = defaultMax): LongAnswers {
  const all = createSemaphore(max.inAll)
  const ofUser = createSemaphores<UserId>(max.ofUser)

  /** Takes the place of the user first: a user who waits for one takes none from others. */
  async function take(user: UserId, signal: AbortSignal): Promise<() => void> {
    const releaseOwn = await ofUser.take(user, signal)
    try {
      const release = await all.take(signal)
      return () => {
        release()
        releaseOwn()
      }
    } catch (error) {
      releaseOwn()
      throw error
    }
  }

  return {
    of(user) {
      let held: (() => void) | undefined
      return {
        grow(bytes, signal) {
          if (held || bytes < minLongBytes) return undefined
          return take(user, signal).then((release) => {
            held = release
          })
        },
        release() {
          held?.()
          held = undefined
        },
      }
    },
  }
}
