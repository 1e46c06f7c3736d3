// Bodies on their way in. Each is kept until it is whole, so half-sent ones of one caller share a room.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '#core/errors.ts'
import { createQuota } from './quota.ts'

/** Bytes of bodies of one user; what a small one holds is bounded by the number of requests. */
const maxBytes = 128 * 1024 * 1024
const smallBytes = 64 * 1024
/** Bodies of callers who have shown nothing: of one address, and of all together. */
const maxOfAddress = 20
const maxOfStrangers = 1_000
const comeBackSecs = 1

export interface Arrivals {
  /** Waits until there is room for a body, which is taken until all of it has come. Throws rate_limited. */
  begin(arriving: Arriving): Promise<void>
}

export type Arriving = {
  readonly request: IncomingMessage
  readonly answer: ServerResponse
  /** The largest body of the route. */
  readonly limit: number
  /** Whose it is; without one a stranger's, told by the address. */
  readonly user: string | undefined
  readonly address: () => string
}

export function createArrivals(waitMs: number): Arrivals {
  const ofUsers = createQuota(maxBytes, waitMs)
  const ofAddresses = createQuota(maxOfAddress, waitMs)
  const ofStrangers = createQuota(maxOfStrangers, waitMs)

  return {
    async begin({ request, answer, limit, user, address }) {
      const bytes = bytesOf(request, limit)
      if (bytes === 0 || (user !== undefined && bytes <= smallBytes)) return
      const shares =
        user === undefined
          ? ([
              [ofAddresses, address(), 1],
              [ofStrangers, '', 1],
            ] as const)
          : ([[ofUsers, user, bytes]] as const)
      for (const [room, key, size] of shares) {
        const free = await room.take(key, size, answer)
        if (!free) throw half()
        // Whole, or given up.
        request.once('close', free)
        if (request.destroyed) free()
      }
    },
  }
}

/** How much a body may come to, by what its head says. */
function bytesOf({ headers }: IncomingMessage, limit: number): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : limit
}

function half(): AppError {
  const message = 'too many bodies from you are still on their way: send them to their end, then try again'
  return new AppError('rate_limited', message, { retryAfterSecs: comeBackSecs })
}
