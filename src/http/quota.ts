// A quota per key, shared by concurrent requests. A request that does not fit waits in order, up to a time limit.
import type { ServerResponse } from 'node:http'
import { createSemaphores } from '#lib/semaphore.ts'

export interface Quota {
  /**
   * Takes `size` of the key's quota and returns the function that releases it. Undefined when the wait takes too long or
   * the connection closes meanwhile.
   */
  take(key: string, size: number, answer: ServerResponse): Promise<(() => void) | undefined>
}

/** `size` must not exceed `max`. */
export function createQuota(max: number, waitMs: number): Quota {
  const shares = createSemaphores<string>(max)

  async function wait(key: string, size: number, answer: ServerResponse): Promise<(() => void) | undefined> {
    const closed = new AbortController()
    const close = (): void => closed.abort()
    const timer = setTimeout(close, waitMs)
    answer.once('close', close)
    try {
      return await shares.take(key, closed.signal, size)
    } catch {
      return undefined
    } finally {
      clearTimeout(timer)
      answer.off('close', close)
    }
  }

  return { take: async (key, size, answer) => shares.tryTake(key, size) ?? wait(key, size, answer) }
}
