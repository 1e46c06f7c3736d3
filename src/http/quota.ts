// An amount that the requests of one caller share. A request that does not fit waits, in order and not for long.
import type { ServerResponse } from 'node:http'
import { createSemaphore, type Semaphore } from '#lib/semaphore.ts'

export interface Quota {
  /**
   * A share of the key's quota, once there is one; what is returned gives it back. Undefined when that takes too long, or
   * the connection has closed meanwhile.
   */
  take(key: string, size: number, answer: ServerResponse): Promise<(() => void) | undefined>
}

/** No share may be larger than `max`. */
export function createQuota(max: number, waitMs: number): Quota {
  const held = new Map<string, Semaphore>()

  async function wait(own: Semaphore, size: number, answer: ServerResponse): Promise<(() => void) | undefined> {
    const closed = new AbortController()
    const close = (): void => closed.abort()
    const timer = setTimeout(close, waitMs)
    answer.once('close', close)
    try {
      return await own.take(closed.signal, size)
    } catch {
      return undefined
    } finally {
      clearTimeout(timer)
      answer.off('close', close)
    }
  }

  return {
    async take(key, size, answer) {
      const own = held.get(key) ?? createSemaphore(max)
      held.set(key, own)
      const release = own.tryTake(size) ?? (await wait(own, size, answer))
      return (
        release &&
        (() => {
          release()
          if (own.taken === 0 && own.waiting === 0) held.delete(key)
        })
      )
    },
  }
}
