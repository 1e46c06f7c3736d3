// Long answers that their clients have not read. Each stays in memory until then, so a user, and all users together, have a
// bounded number of them: one more cuts the connection of the oldest.
import type { ServerResponse } from 'node:http'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Counts the answer among the long ones of the caller until it has ended, or until the returned function is called. Called
     * before any of it is written. A method of all requests: a function of each would outlive it until a full collection.
     */
    countLongAnswer?(answer: ServerResponse): () => void
  }
}

const defaultMax = { ofUser: 16, inAll: 64 }

type Answer = Pick<ServerResponse, 'on' | 'off' | 'destroy' | 'destroyed'>

export interface UnreadAnswers {
  /** Counts a long answer until it was sent, its connection has ended, or the returned function is called. */
  add(user: string, answer: Answer): () => void
}

export function createUnreadAnswers(max = defaultMax): UnreadAnswers {
  /** From the oldest on. */
  const open = new Map<string, Set<Answer>>()

  function cutOldest(own: Set<Answer> | undefined): void {
    const [oldest] = own ?? []
    if (!oldest) return
    own?.delete(oldest)
    oldest.destroy()
  }

  function total(): number {
    return [...open.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** The answers of the user who has the most. */
  function most(): Set<Answer> | undefined {
    return [...open.values()].toSorted((one, other) => other.size - one.size)[0]
  }

  return {
    add(user, answer) {
      if (answer.destroyed) return () => {}
      const own = open.get(user) ?? new Set()
      open.set(user, own)
      own.add(answer)
      const over = (): void => {
        answer.off('finish', over).off('close', over)
        own.delete(answer)
        if (own.size === 0 && open.get(user) === own) open.delete(user)
      }
      answer.on('finish', over).on('close', over)
      if (own.size > max.ofUser) cutOldest(own)
      else if (total() > max.inAll) cutOldest(most())
      return over
    },
  }
}
