// Semantic search: chunks near a query's embedding. A slow or unreachable server never blocks a search.
import { type FoundChunk, maxQueryChars } from '#core/document.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { VectorStore } from '#core/vector.ts'
import { within } from '#lib/deadline.ts'
import type { Log } from '#lib/log.ts'
import type { Embed } from './embed.ts'

/** After this wait a search uses words alone. */
const defaultTimeoutMs = 2_000
/** Pause after a failure, during which the server is not asked. */
const pauseMs = 30_000

/** The user's chunks nearest to a query; none when the server fails. Never rejects. */
export type SemanticSearch = (user: UserId, query: string, limit: number) => Promise<readonly FoundChunk[]>

export type SemanticSearchParts = {
  readonly store: VectorStore
  readonly embed: Embed
  readonly model: string
  readonly log: Log
  readonly now?: () => number
  readonly timeoutMs?: number
}

export function createSemanticSearch(parts: SemanticSearchParts): SemanticSearch {
  const { store, embed, model, log, now = () => performance.now(), timeoutMs = defaultTimeoutMs } = parts
  let pausedUntil = 0

  async function vectorOf(query: string): Promise<Float32Array | undefined> {
    const stop = new AbortController()
    const late = (): never => {
      throw new Error(`no embedding of the query within ${timeoutMs} ms`)
    }
    try {
      const [vector] = await within(timeoutMs, embed([query.slice(0, maxQueryChars)], stop.signal), late)
      return vector
    } finally {
      stop.abort()
    }
  }

  return async (user, query, limit) => {
    if (now() < pausedUntil) return []
    try {
      const vector = await vectorOf(query)
      return vector ? await store.nearest(user, { model, vector, limit }) : []
    } catch (error) {
      // The query text is the cause, not the server.
      if (error instanceof AppError && error.code === 'model_refused') return []
      pausedUntil = now() + pauseMs
      log.warn({ err: error, seconds: pauseMs / 1000 }, 'memory is searched by words alone for a while')
      return []
    }
  }
}
