// The state of the service for the screen: threads, open gates, model, today's cost, and whether it is reachable.
import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '#core/errors.ts'
import type { OpenGate } from '#core/turn-store.ts'
import type { Thread } from '#core/turn.ts'
import type { OperatorClient, OperatorStatus } from '#turns/operator-client.ts'
import { keepFollowing } from './reconnect.ts'

/** Minimum pause between two refreshes. */
const refreshMs = 200

export interface News {
  readonly threads: readonly Thread[]
  readonly gates: readonly OpenGate[]
  readonly status: OperatorStatus | undefined
  /** When the connection was lost; undefined while connected. */
  readonly awaySince: number | undefined
  /** Reads everything again, now or after the current refresh. */
  readonly refresh: () => void
  /** Follows changes until the signal aborts. */
  follow(signal: AbortSignal): Promise<void>
}

export type NewsParts = {
  readonly client: OperatorClient
  readonly now: () => number
  readonly tell: (words: string) => void
  /** Called after each refresh and awaited as part of it. */
  readonly refreshed: () => Promise<void>
  readonly redraw: () => void
}

export function createNews({ client, now, tell, refreshed, redraw }: NewsParts): News {
  let known: Pick<News, 'threads' | 'gates' | 'status'> = { threads: [], gates: [], status: undefined }
  let awaySince: number | undefined

  const refresh = coalesced(async () => {
    try {
      const [gates, threads, status] = await Promise.all([client.gates(), client.threads(), client.status()])
      known = { gates, threads, status }
      await refreshed()
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
          if (awaySince === undefined) tell('The service is not answering; the conversation is kept. Reconnecting.')
          awaySince ??= now()
          redraw()
        },
      }),
  }
}

/** Runs the work one at a time, with a pause after each run. Calls in the meantime cause one more run. */
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
