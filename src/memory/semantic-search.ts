// What a query means, as chunks that mean something like it. A server that is slow or away is never in a search's way.
import type { Found } from '#core/document.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { VectorStore } from '#core/vector.ts'
import { within } from '#lib/deadline.ts'
import type { Log } from '#lib/log.ts'
import type { Embed } from './embed.ts'

/** A search answers by words alone after this. */
const patienceMs = 2_000
/** After a fault the server is left alone, and searches do not wait for it. */
const restMs = 30_000
const maxQueryChars = 1_000

/** The user's chunks nearest to a query; none where that cannot be told now. Never rejects. */
export type Meaning = (user: UserId, query: string, limit: number) => Promise<readonly Found[]>

export type MeaningParts = {
  readonly store: VectorStore
  readonly embed: Embed
  readonly model: string
  readonly log: Log
  readonly now?: () => number
  readonly patience?: number
}

export function createMeaning(parts: MeaningParts): Meaning {
  const { store, embed, model, log, now = Date.now, patience = patienceMs } = parts
  let restsUntil = 0

  async function vectorOf(query: string): Promise<Float32Array | undefined> {
    const stop = new AbortController()
    const late = (): never => {
      throw new Error(`no embedding of the query within ${patience} ms`)
    }
    try {
      const [vector] = await within(patience, embed([query.slice(0, maxQueryChars)], stop.signal), late)
      return vector
    } finally {
      stop.abort()
    }
  }

  return async (user, query, limit) => {
    if (now() < restsUntil) return []
    try {
      const vector = await vectorOf(query)
      return vector ? await store.nearest(user, { model, vector, limit }) : []
    } catch (error) {
      // This text is at fault, and not the server.
      if (error instanceof AppError && error.code === 'model_refused') return []
      restsUntil = now() + restMs
      log.warn({ err: error, seconds: restMs / 1000 }, 'memory is searched by words alone for a while')
      return []
    }
  }
}
