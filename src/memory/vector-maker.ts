// Embeds chunks in the background. The chunks without a vector are the queue: nothing is lost when the process stops,
// and a new model embeds all of them again. A write never waits.
import { AppError } from '#core/errors.ts'
import type { LeaseStore } from '#core/lease.ts'
import type { ChunkVector, PendingChunk, VectorStore } from '#core/vector.ts'
import type { Log } from '#lib/log.ts'
import { createLookLoop } from '#lib/look-loop.ts'
import type { Embed } from './embed.ts'

/** Chunks per request. */
const batchSize = 32
/** How often an idle process checks for new chunks of others, and whether it can take over the duty. */
const idleMs = 5_000
/** The duty passes to another process when its holder, though alive, does not renew it for this long. */
const dutyMs = 120_000
const defaultFirstPauseMs = 1_000
const maxPauseMs = 300_000
/** A text that the model refuses is tried again with this many characters. */
const shortChars = 800
/** A text that every model accepts: tells a bad text from a server that refuses everything. */
const probeText = 'memory'

export interface VectorMaker {
  /** Call after a write. */
  wake(): void
  stop(): Promise<void>
}

export type VectorMakerParts = {
  readonly store: VectorStore
  readonly leases: Pick<LeaseStore, 'takeDuty' | 'leaveDuty'>
  readonly embed: Embed
  readonly model: string
  /** Identifies this process. */
  readonly owner: string
  readonly log: Log
  readonly firstPauseMs?: number
}

export function createVectorMaker(parts: VectorMakerParts): VectorMaker {
  const { store, leases, embed, model, owner, log, firstPauseMs = defaultFirstPauseMs } = parts
  const stopping = new AbortController()
  /** It rests with the duty after a whole look. Else a wake waits: for the end of the look, the duty, or a pause. */
  let resting = false
  let woken = false
  /** The last chunk id of the scan of all chunks; undefined once it is complete: then only the newest are checked. */
  let after: number | undefined = 0
  const loop = createLookLoop({
    async look() {
      resting = false
      const outcome = await step()
      if (outcome === 'more' || (outcome === 'done' && woken)) return 0
      resting = outcome === 'done'
      return idleMs
    },
    onFault(error, times) {
      if (times === 1 && !stopping.signal.aborted) log.warn({ err: error }, 'embedding memory failed; it is retried')
      return Math.min(firstPauseMs * 2 ** (times - 1), maxPauseMs)
    },
    firstMs: 0,
  })

  /** Embeds one batch, or finds that there is nothing to do. */
  async function step(): Promise<'more' | 'done' | 'others'> {
    if (!(await leases.takeDuty('vectors', owner, dutyMs))) {
      // The holder of the duty may leave gaps anywhere.
      after = 0
      return 'others'
    }
    // A write from here on needs another look.
    if (after === undefined) woken = false
    const from = after ?? (await store.tail(model))
    const { chunks, through } = await store.pending(model, { after: from, limit: batchSize })
    if (chunks.length > 0) await store.save(model, await make(chunks))
    after = through > from ? through : undefined
    return after === undefined ? 'done' : 'more'
  }

  async function make(chunks: readonly PendingChunk[]): Promise<ChunkVector[]> {
    try {
      const vectors = await embed(chunks.map(textOf), stopping.signal)
      return chunks.map((chunk, at) => ({ chunk, vector: vectors[at] }))
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
    const made: ChunkVector[] = []
    for (const chunk of chunks) made.push({ chunk, vector: await makeOne(textOf(chunk)) })
    return made
  }

  /**
   * The vector of one text; undefined when the model refuses it, so that it does not block the others. Throws when the
   * server refuses every text.
   */
  async function makeOne(text: string): Promise<Float32Array | undefined> {
    for (const each of [text, text.slice(0, shortChars)]) {
      try {
        return (await embed([each], stopping.signal))[0]
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
    }
    await embed([probeText], stopping.signal)
    return undefined
  }

  return {
    wake() {
      woken = true
      if (resting) loop.wake()
    },
    async stop() {
      stopping.abort()
      await loop.stop()
      // When the database cannot be reached, the duty expires by itself.
      await leases.leaveDuty('vectors', owner).catch(() => {})
    },
  }
}

function textOf({ path, text }: PendingChunk): string {
  return `${path}\n\n${text}`
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code === 'model_refused'
}
