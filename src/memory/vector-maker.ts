// Makes the vectors of chunks in the background. The chunks without one are its queue, so nothing is lost when it ends in
// the middle, and another model makes all of them anew; a write never waits for it.
import { AppError } from '#core/errors.ts'
import type { LeaseStore } from '#core/store.ts'
import type { Made, Unmade, VectorStore } from '#core/vector.ts'
import type { Log } from '#lib/log.ts'
import type { Embed } from './embed.ts'

/** Chunks of one request. */
const batch = 32
/** How often an idle process looks for what others have written, or whether the one that makes vectors is gone. */
const idleMs = 5_000
/** A process that has the duty and takes it no more, though it is alive, is followed by another after this. */
const dutyMs = 120_000
const firstPauseMs = 1_000
const maxPauseMs = 300_000
/** Of a text that is too long for the model. */
const shortChars = 800
/** A text that every model takes. */
const plainText = 'memory'

export interface Maker {
  /** Something was written. */
  wake(): void
  stop(): Promise<void>
}

export type MakerParts = {
  readonly store: VectorStore
  readonly leases: Pick<LeaseStore, 'takeDuty' | 'leaveDuty'>
  readonly embed: Embed
  readonly model: string
  /** Tells this process from others. */
  readonly owner: string
  readonly log: Log
  readonly firstPause?: number
}

export function createMaker({ store, leases, embed, model, owner, log, firstPause = firstPauseMs }: MakerParts): Maker {
  const stopping = new AbortController()
  let awaken = (): void => {}
  let woken = false
  /** How far the look at all chunks is; undefined once it is through, and the next one is at the newest alone. */
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
        if (failures === 1) log.warn({ err: error }, 'vectors of memory cannot be made now; it is tried again')
        await rest(Math.min(firstPause * 2 ** (failures - 1), maxPauseMs), false)
      }
    }
  }

  /** One batch, or one look at what has its vectors already. */
  async function step(): Promise<'more' | 'done' | 'others'> {
    if (!(await leases.takeDuty('vectors', owner, dutyMs))) {
      // Whoever has it may leave gaps anywhere.
      after = 0
      return 'others'
    }
    // What is written from here on is for the next look.
    if (after === undefined) woken = false
    const from = after ?? (await store.tail(model))
    const { chunks, through } = await store.unmade(model, { after: from, limit: batch })
    if (chunks.length > 0) await store.save(model, await make(chunks))
    failures = 0
    after = through > from ? through : undefined
    return after === undefined ? 'done' : 'more'
  }

  async function make(chunks: readonly Unmade[]): Promise<Made[]> {
    try {
      const vectors = await embed(chunks.map(textOf), stopping.signal)
      return chunks.map((chunk, at) => ({ chunk, vector: vectors[at] }))
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
    const made: Made[] = []
    for (const chunk of chunks) made.push({ chunk, vector: await makeOne(textOf(chunk)) })
    return made
  }

  /** A text that the model does not take must not hold up the others; but a server that takes none is at fault itself. */
  async function makeOne(text: string): Promise<Float32Array | undefined> {
    for (const each of [text, text.slice(0, shortChars)]) {
      try {
        return (await embed([each], stopping.signal))[0]
      } catch (error) {
        if (!isRefusal(error)) throw error
      }
    }
    await embed([plainText], stopping.signal)
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
        awaken = () => {}
        resolve()
      }
      if (wakeable) awaken = end
      stopping.signal.addEventListener('abort', end, { once: true })
    })
  }

  return {
    wake() {
      woken = true
      awaken()
    },
    async stop() {
      stopping.abort()
      await working
      // Where the database is away, the duty ends by itself.
      await leases.leaveDuty('vectors', owner).catch(() => {})
    },
  }
}

function textOf({ path, text }: Unmade): string {
  return `${path}\n\n${text}`
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code === 'model_refused'
}
