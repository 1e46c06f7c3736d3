// Embeds chunks in the background. The chunks without a vector are the queue: nothing is lost when the process stops,
// and a new model embeds all of them again. A write never waits.
import { AppError } from '#core/errors.ts'
import type { LeaseStore } from '#core/lease.ts'
import type { ChunkVector, PendingChunk, VectorStore } from '#core/vector.ts'
import type { Log } from '#lib/log.ts'
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
  let endRest = (): void => {}
  let woken = false
  /** The last chunk id of the scan of all chunks; undefined once it is complete: then only the newest are checked. */
  let after: number | undefined = 0
  let failures = 0
  const working = work()

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const outcome = await step()
        if (outcome !== 'more') await rest(idleMs, outcome === 'done')
      } catch (error) {
        if (stopping.signal.aborted) return
        failures += 1
        if (failures === 1) log.warn({ err: error }, 'embedding memory failed; it is retried')
        await rest(Math.min(firstPauseMs * 2 ** (failures - 1), maxPauseMs), false)
      }
    }
  }

  /** Embeds one batch, or finds that there is nothing to do. */
  async function step(): Promise<'more' | 'done' | 'others'> {
    if (!(await leases.takeDuty('vectors', owner, dutyMs))) {
      // The holder of the duty may leave gaps anywhere.
      after = 0
      return 'others'
    }
    // A write from here on needs another check.
    if (after === undefined) woken = false
    const from = after ?? (await store.tail(model))
    const { chunks, through } = await store.pending(model, { after: from, limit: batchSize })
    if (chunks.length > 0) await store.save(model, await make(chunks))
    failures = 0
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

  function rest(ms: number, wakeable: boolean): Promise<void> {
    if (stopping.signal.aborted || (wakeable && woken)) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(end, ms)
      timer.unref()
      function end(): void {
        clearTimeout(timer)
        stopping.signal.removeEventListener('abort', end)
        endRest = () => {}
        resolve()
      }
      if (wakeable) endRest = end
      stopping.signal.addEventListener('abort', end, { once: true })
    })
  }

  return {
    wake() {
      woken = true
      endRest()
    },
    async stop() {
      stopping.abort()
      await working
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
