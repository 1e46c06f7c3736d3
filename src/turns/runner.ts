// Runs turns: takes them, drives the loop, records each step under the lease, and lets go when the process does.
import type { Bus } from '#core/bus.ts'
import { AppError } from '#core/errors.ts'
import type { Model } from '#core/model.ts'
import type { Lease, StartedTurn, Step, Store } from '#core/store.ts'
import type { Tool, ToolSpec } from '#core/tool.ts'
import type { Turn } from '#core/turn.ts'
import type { Bounds } from '#agent/guard.ts'
import type { Histories } from '#agent/history.ts'
import { runTurn } from '#agent/loop.ts'
import { createToolbox } from '#agent/toolbox.ts'
import type { Log } from '#lib/log.ts'

const maxRunning = 1_000
/** After a claim that found more than it could take, the next one waits this long: a claim looks at the whole queue. */
const claimPauseMs = 10
const retryMs = [100, 250, 500, 1_000, 2_000, 5_000]

export type RunnerParts = {
  readonly store: Pick<Store, 'turns'>
  readonly bus: Bus
  readonly histories: Histories
  /** The model of the moment; settings may change it between turns. */
  readonly model: () => Promise<Model>
  /** The service's tools of the moment: the same object until they change. */
  readonly tools: () => Tools
  readonly lease: Lease
  readonly bounds: Bounds
  readonly log: Log
  readonly limit?: number
}

export type Tools = { readonly byName: ReadonlyMap<string, Tool>; readonly specs: readonly ToolSpec[] }

export interface Runner {
  /** The lease to start a turn under at once; undefined when there is no room or the process is going down. */
  room(): Lease | undefined
  /** Runs a turn that was started under our lease. */
  take(started: StartedTurn): void
  /** Looks for queued turns soon. */
  wake(): void
  /** Stops a turn that runs here; false when it does not. */
  stop(turnId: string, reason: AppError): boolean
  readonly running: number
  /** Takes nothing new; gives running turns a while, then puts them back into the queue. */
  drain(graceMs: number): Promise<void>
}

type Running = { readonly turn: Turn; readonly controller: AbortController; readonly over: Promise<void> }

export function createRunner(parts: RunnerParts): Runner {
  const { store, bus, lease, log } = parts
  const limit = parts.limit ?? maxRunning
  const running = new Map<string, Running>()
  let draining = false
  let queued = false
  let claiming: Promise<void> | undefined
  let wokenAgain = false

  function take(started: StartedTurn): void {
    const controller = new AbortController()
    const { turn } = started
    const over = run(started, controller.signal)
      .catch((error: unknown) => letGo(turn, error))
      .finally(() => {
        running.delete(turn.id)
        if (queued) wake()
      })
    running.set(turn.id, { turn, controller, over })
  }

  async function run(started: StartedTurn, signal: AbortSignal): Promise<void> {
    const { turn } = started
    const minutes = setTimeout(() => {
      const message = `the turn ran for ${parts.bounds.minutes} minutes: send a message to go on, or make the task smaller`
      runner.stop(turn.id, new AppError('time_limit', message))
    }, parts.bounds.minutes * 60_000)
    try {
      const { byName, specs } = parts.tools()
      const [history, model] = await Promise.all([parts.histories.open(started), modelOrFault(parts.model)])
      const loop = runTurn({
        turn,
        history,
        model,
        toolbox: createToolbox(byName, specs, turn.options.tools),
        bounds: parts.bounds,
        signal,
        emit: (deltas) => bus.publish(turn.threadId, deltas),
      })
      for await (const step of loop) {
        const recorded = await record(turn, step, signal)
        await parts.histories.extend(turn, history, recorded.entries)
        const entries = recorded.entries.length > 0 ? [{ type: 'entries' as const, entries: recorded.entries }] : []
        const news = step.outcome ? [{ type: 'turn' as const, turn: recorded.turn }] : []
        bus.publish(turn.threadId, [...entries, ...news])
        if (step.outcome?.status === 'failed') log.warn({ turn: turn.id, ...step.outcome.error }, 'turn failed')
        // A waiting turn may have been answered meanwhile and be back in the queue.
        if (step.outcome?.status === 'waiting') queued = true
      }
    } finally {
      clearTimeout(minutes)
    }
  }

  /** A step that cannot be stored now (disk full, database away) is kept and tried again while the turn lives. */
  async function record(turn: Turn, step: Step, signal: AbortSignal) {
    for (let attempt = 0; ; attempt++) {
      try {
        return await store.turns.record(turn, lease, step)
      } catch (error) {
        const away = error instanceof AppError && (error.code === 'database_unavailable' || error.code === 'disk_full')
        if (!away || draining) throw error
        log.error({ turn: turn.id, code: error.code }, 'a step could not be stored; trying again')
        await pause(retryMs[Math.min(attempt, retryMs.length - 1)] ?? 5_000, signal)
      }
    }
  }

  /** The turn is not ours to finish: back into the queue where that still can be said. */
  async function letGo(turn: Turn, error: unknown): Promise<void> {
    parts.histories.drop(turn.threadId)
    const code = error instanceof AppError ? error.code : undefined
    if (code === 'lease_lost') return
    if (code !== 'shutting_down') log.error({ turn: turn.id, err: error }, 'turn let go')
    await store.turns
      .release(turn, lease)
      .catch((cause: unknown) => log.error({ turn: turn.id, err: cause }, 'release failed'))
    queued = true
  }

  function wake(): void {
    queued = true
    // A wake during a claim may be about something that the claim did not see: look once more after it.
    wokenAgain = claiming !== undefined
    if (draining || claiming) return
    claiming = new Promise<void>((resolve) => setImmediate(resolve)).then(claim).finally(() => {
      claiming = undefined
      if (wokenAgain) wake()
    })
  }

  async function claim(): Promise<void> {
    const free = limit - running.size
    if (draining || free <= 0) return
    try {
      queued = false
      const { started, more } = await store.turns.claim(lease, free)
      for (const each of started) {
        bus.publish(each.turn.threadId, [
          ...(each.entries.length > 0 ? [{ type: 'entries' as const, entries: each.entries }] : []),
          { type: 'turn', turn: each.turn },
        ])
        take(each)
      }
      if (more) queued = true
      if (more && started.length > 0) await pause(claimPauseMs)
    } catch (error) {
      log.error({ err: error }, 'queued turns could not be claimed; trying again')
      queued = true
      setTimeout(wake, 1_000).unref()
    }
  }

  const runner: Runner = {
    room: () => (draining || running.size >= limit ? undefined : lease),
    take,
    wake,
    stop(turnId, reason) {
      const found = running.get(turnId)
      found?.controller.abort(reason)
      return found !== undefined
    },
    get running() {
      return running.size
    },
    async drain(graceMs) {
      draining = true
      await claiming
      const all = (): Promise<unknown> => Promise.all([...running.values()].map(({ over }) => over))
      await within(all(), graceMs)
      const reason = new AppError('shutting_down', 'the service is going down; the turn goes on after its restart')
      for (const { controller } of running.values()) controller.abort(reason)
      await within(all(), 2_000)
    },
  }
  bus.onCancel((turnId) => runner.stop(turnId, new AppError('turn_cancelled', 'cancelled')))
  return runner
}

/** A model that cannot be opened fails the turn through the loop, like one that does not answer. */
async function modelOrFault(model: () => Promise<Model>): Promise<Model> {
  try {
    return await model()
  } catch (error) {
    return {
      provider: 'none',
      name: 'none',
      window: 0,
      // oxlint-disable-next-line require-yield
      async *stream() {
        throw error
      },
    }
  }
}

/** Waits for work, but no longer than so many milliseconds. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const over = new AbortController()
  await Promise.race([work, pause(ms, over.signal)])
  over.abort()
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    signal?.addEventListener('abort', done, { once: true })
  })
}
