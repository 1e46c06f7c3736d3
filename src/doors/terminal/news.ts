// What the service tells of itself: threads, what waits, its model, what today has cost; and whether it is there at all.
import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '#core/errors.ts'
import type { OpenGate } from '#core/store.ts'
import type { Thread } from '#core/turn.ts'
import type { OperatorClient, OperatorStatus } from '#turns/operator-client.ts'
import { keepFollowing } from './reconnect.ts'

/** Lists are read again at most so often. */
const refreshMs = 200

export interface News {
  readonly threads: readonly Thread[]
  readonly gates: readonly OpenGate[]
  readonly status: OperatorStatus | undefined
  /** Since when the service has been away. */
  readonly awaySince: number | undefined
  /** Reads all of it again, soon. */
  readonly refresh: () => void
  /** Follows what changes until the signal. */
  follow(signal: AbortSignal): Promise<void>
}

export type NewsParts = {
  readonly client: OperatorClient
  readonly now: () => number
  readonly tell: (words: string) => void
  /** It was read again; what it finds out more is read with it. */
  readonly heard: () => Promise<void>
  readonly redraw: () => void
}

export function createNews({ client, now, tell, heard, redraw }: NewsParts): News {
  let known: Pick<News, 'threads' | 'gates' | 'status'> = { threads: [], gates: [], status: undefined }
  let awaySince: number | undefined

  const refresh = coalesced(async () => {
    try {
      const [gates, threads, status] = await Promise.all([client.gates(), client.threads(), client.status()])
      known = { gates, threads, status }
      await heard()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
    redraw()
  })

  return {
    get threads() {
      return known.threads
    },
    get gates() {
      return known.gates
    },
    get status() {
      return known.status
    },
    get awaySince() {
      return awaySince
    },
    refresh,
    follow: (signal) =>
      keepFollowing({
        signal,
        async *open(until) {
          for await (const batch of client.changes(until)) {
            if (awaySince !== undefined) tell('The connection is back.')
            awaySince = undefined
            yield batch
          }
        },
        take: refresh,
        lost() {
          if (awaySince === undefined) tell('The service has gone away; what was said is kept. Reconnecting.')
          awaySince ??= now()
          redraw()
        },
      }),
  }
}

/** Runs the work at most once at a time and not too often; what is asked for meanwhile is done once after it. */
function coalesced(work: () => Promise<void>): () => void {
  let state: 'idle' | 'busy' | 'again' = 'idle'
  const run = async (): Promise<void> => {
    await work()
    await pause(refreshMs)
    const again = state === 'again'
    state = again ? 'busy' : 'idle'
    if (again) await run()
  }
  return () => {
    if (state === 'idle') void run()
    state = state === 'idle' ? 'busy' : 'again'
  }
}
