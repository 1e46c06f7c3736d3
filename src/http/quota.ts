// Room that the requests of one caller share. Who does not fit waits, in order, and not for long.
import type { ServerResponse } from 'node:http'

export interface Room {
  /**
   * A share of the room of a key, once there is one; what is returned gives it back. Undefined when that takes too long, or
   * the connection has gone meanwhile.
   */
  take(key: string, size: number, answer: ServerResponse): Promise<(() => void) | undefined>
}

type Waiting = { readonly size: number; readonly go: () => void }
type Held = { taken: number; readonly waiting: Waiting[] }

/** No share may be larger than the room. */
export function createRoom(most: number, waitMs: number): Room {
  const held = new Map<string, Held>()

  function admit(own: Held): void {
    for (let [next] = own.waiting; next && own.taken + next.size <= most; [next] = own.waiting) {
      own.waiting.shift()
      own.taken += next.size
      next.go()
    }
  }

  /** True once it is this one's turn. */
  async function wait(own: Held, size: number, answer: ServerResponse): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const self: Waiting = { size, go: () => resolve(true) }
    // At once: room that becomes free now must go to somebody who still waits.
    const leave = (): void => {
      const at = own.waiting.indexOf(self)
      if (at < 0) return
      own.waiting.splice(at, 1)
      resolve(false)
      admit(own)
    }
    const timer = setTimeout(leave, waitMs)
    answer.once('close', leave)
    own.waiting.push(self)
    const came = await promise
    clearTimeout(timer)
    answer.off('close', leave)
    return came
  }

  return {
    async take(key, size, answer) {
      const own = held.get(key) ?? { taken: 0, waiting: [] }
      held.set(key, own)
      if (own.waiting.length === 0 && own.taken + size <= most) own.taken += size
      else if (!(await wait(own, size, answer))) return undefined
      let given = false
      return () => {
        if (given) return
        given = true
        own.taken -= size
        admit(own)
        // Nobody waits for an empty room.
        if (own.taken === 0) held.delete(key)
      }
    },
  }
}
