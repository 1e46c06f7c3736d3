// Runs turns: takes them, drives the loop, records each step under the lease, and releases them at shutdown.
import type { Bus } from '#core/bus.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Entry } from '#core/item.ts'
import type { Model } from '#core/model.ts'
import type { Judge } from '#core/policy.ts'
import type { Lease } from '#core/lease.ts'
import type { StartedTurn, Step } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import type { Tools } from '#core/tool.ts'
import type { Turn } from '#core/turn.ts'
import { isAtRest } from '#core/turn-status.ts'
import type { Bounds } from '#agent/turn-limits.ts'
import type { Histories } from '#agent/history.ts'
import { createLongAnswers } from '#agent/long-answers.ts'
import { runTurn } from '#agent/loop.ts'
import { createSystemPrompt } from '#agent/prompt.ts'
import { createMeter } from '#agent/tokens.ts'
import { within } from '#lib/deadline.ts'
import type { Log } from '#lib/log.ts'
import type { Marker } from '#safety/marks.ts'
import type { UserMask } from '#safety/secret-values.ts'
import { createClaims } from './claim.ts'
import type { Grants } from './grant-cache.ts'
import { logNotes, logRest } from './turn-log.ts'
import { untilStored } from './store-retry.ts'
import type { Spend } from './spend.ts'
import type { Observer } from './turn-metrics.ts'
import { modelOrFault } from './thread-model.ts'
import { turnToolbox } from './turn-toolbox.ts'
import { publishEntries, publishTurn } from './announce.ts'
import { createGiveUp } from './give-up.ts'
import { heldAnswer } from './held-answer.ts'

/** Grace period for turns stopped at shutdown. */
const releaseMs = 2_000
/** Half of a lease: a process that stood still for longer may have lost its turns. */
const staleMs = 6_000

export type RunnerParts = {
  readonly store: Pick<Store, 'turns' | 'threads'>
  readonly bus: Bus
  readonly histories: Histories
  /** The current model, or one that a client chose; settings may change it between turns. */
  readonly model: (choice?: string) => Promise<Model>
  /** The current tools for a user: the same object until they change. */
  readonly tools: (user: UserId) => Tools
  readonly judge: Judge
  /** Users' grants, read before a turn starts so that the policy has them. */
  readonly grants?: Pick<Grants, 'open'>
  /** Finds text from outside that looks like an instruction, for the log. */
  readonly marker?: () => Marker
  /** Masks secrets in tool results before they are stored. */
  readonly mask?: UserMask
  /** The user's own parts of the system prompt. */
  readonly identity?: (user: UserId) => Promise<readonly string[]>
  /** The lines about a user's skills in the system prompt, for a model's window. Read before the user's tools. */
  readonly skills?: (user: UserId) => Promise<(window: number) => string>
  readonly lease: Lease
  readonly bounds: Bounds
  readonly spend: Spend
  readonly log: Log
  /** Is called for every stored step and every rest. */
  readonly observer?: Observer
  /** Limit of turns that run in this process at once. */
  readonly maxRunning: number
}

export interface Runner {
  /**
   * The lease to start a turn under at once. `starting` is the number of other turns that are being started. Undefined
   * when the maximum of turns runs or the process shuts down.
   */
  room(starting: number): Lease | undefined
  /** True while the maximum of turns runs here: a new turn has to wait. */
  full(starting: number): boolean
  /** Runs a turn that was started under this process's lease. `request` is the id of its request, for the log. */
  take(started: StartedTurn, lease: Lease, request?: string): void
  /** The current model. */
  model(): Promise<Model>
  /** Looks for queued turns soon. */
  wake(): void
  /** True while a turn runs here. */
  has(turnId: string): boolean
  /** Stops a turn that runs here; false when it does not. */
  stop(turnId: string, reason: AppError): boolean
  /** Continues under a new lease; turns under the earlier one are stopped, because another process may own them. */
  renew(lease: Lease): void
  readonly running: number
  /** Takes no new turns; waits for running ones up to the grace period, then puts them back into the queue. */
  drain(graceMs: number): Promise<void>
}

type Running = {
  readonly controller: AbortController
  readonly over: Promise<void>
  readonly request: string | undefined
  /** All its open calls wait for a person. */
  waits: boolean
}

export function createRunner(parts: RunnerParts): Runner {
  const { store, bus, log, mask = (text) => text } = parts
  const meter = createMeter()
  const longAnswers = createLongAnswers()
  const tooling = { tools: parts.tools, judge: parts.judge, meter }
  const systemPrompt = createSystemPrompt()
  let lease = parts.lease
  const running = new Map<string, Running>()
  let draining = false
  let stopping: AppError | undefined
  const claims = createClaims({
    store,
    log,
    room: () => (isFull() || draining ? undefined : { lease, turns: parts.maxRunning - running.size }),
    take(started, turnLease) {
      publishTurn(bus, started)
      take(started, turnLease)
    },
  })

  const giveUp = createGiveUp({ ...parts, record, over: () => draining })

  async function note(turn: Turn, entries: readonly Entry[]): Promise<void> {
    if (parts.marker) await logNotes(log, turn, entries, parts.marker())
  }

  function isFull(starting = 0): boolean {
    return running.size + starting >= parts.maxRunning
  }

  function take(started: StartedTurn, turnLease: Lease, request?: string): void {
    const controller = new AbortController()
    const { turn } = started
    const over = run(started, turnLease, controller.signal)
      .catch((error: unknown) => {
        // The turn no longer runs here: its tools must stop, and its end may be published elsewhere.
        controller.abort(error)
        if (running.get(turn.id)?.controller === controller) bus.forget(turn.threadId, turn.id)
        return giveUp(turn, turnLease, error)
      })
      .finally(() => {
        // A released turn may have been taken again at once: then the entry belongs to its next run.
        if (running.get(turn.id)?.controller === controller) running.delete(turn.id)
        claims.freed()
      })
    running.set(turn.id, { controller, over, request, waits: false })
    if (stopping) controller.abort(stopping)
  }

  async function run(started: StartedTurn, turnLease: Lease, signal: AbortSignal): Promise<void> {
    const { turn } = started
    const timeLimit = setTimeout(() => {
      const max = parts.bounds.minutes
      const message = `the turn ran for ${max} minutes: send a message to go on, or make the task smaller`
      runner.stop(turn.id, new AppError('time_limit', message, { limit: { kind: 'minutes', max } }))
    }, parts.bounds.minutes * 60_000)
    const room = longAnswers.of(turn.userId)
    try {
      const [history, model, identity, skills] = await Promise.all([
        parts.histories.open(started),
        modelOrFault(() => parts.model(turn.options.model)),
        parts.identity?.(turn.userId) ?? [],
        parts.skills?.(turn.userId),
        parts.grants?.open(turn.userId),
      ])
      await note(turn, started.entries)
      const loop = runTurn({
        turn,
        system: systemPrompt(identity, skills?.(model.window)),
        history,
        model,
        toolbox: turnToolbox(tooling, { turn, history, window: model.window }),
        bounds: parts.bounds,
        meter,
        reserve: (call) =>
          untilStored(() => parts.spend.reserve(turn, turnLease, call), { over: () => draining, signal }),
        signal,
        room,
        emit: (deltas) => bus.publish(turn.threadId, deltas),
        answerTo: (callId, after) => heldAnswer({ bus, store }, turn, { callId, after, signal }),
        report: (fault) => log.error({ turn: turn.id, err: fault }, 'turn failed inside the service'),
        mask: (text) => mask(text, turn.userId),
      })
      let earlier = started.entries
      for await (const step of loop) {
        const [steady, wall] = [performance.now(), Date.now()]
        const recorded = await record(turn, turnLease, step.outcome ? { ...step, earlier } : step, signal)
        await parts.histories.extend(turn, history, recorded.entries)
        parts.observer?.stepped(recorded.entries, earlier, history.items, step.asked)
        earlier = [...earlier, ...recorded.entries]
        await note(turn, recorded.entries)
        const publish = step.outcome ? publishTurn : publishEntries
        publish(bus, recorded)
        room.release()
        const own = running.get(turn.id)
        if (own) own.waits = recorded.turn.status === 'waiting'
        if (own && draining) stopIfHeld(own)
        // A waiting turn may have been answered in the meantime and be back in the queue.
        if (step.outcome?.status === 'waiting') claims.expect()
        // Frozen behind the record of an attempt: the tool must not run once another process has reported it as interrupted.
        // One clock stands while the machine sleeps, the other may be set.
        const passedMs = Math.max(performance.now() - steady, Date.now() - wall)
        if (!step.outcome && passedMs > staleMs)
          await record(turn, turnLease, { drafts: [], usage: step.usage }, signal)
      }
    } finally {
      room.release()
      clearTimeout(timeLimit)
    }
  }

  /** A person may take hours: shutdown does not wait for one. */
  function stopIfHeld({ waits, controller }: Running): void {
    if (waits) controller.abort(shutdown())
  }

  /** Stores a step. While the store is unavailable (disk full, database away) it retries until shutdown. */
  async function record(turn: Turn, turnLease: Lease, step: Step, signal?: AbortSignal) {
    const recorded = await untilStored(
      (retry) => store.turns.record(turn, turnLease, retry ? { ...step, retry } : step),
      {
        over: () => draining,
        failed: ({ code }) => log.error({ turn: turn.id, code }, 'could not store a step; trying again'),
        ...(signal && { signal }),
      },
    )
    if (step.outcome && isAtRest(recorded.turn.status)) {
      logRest(log, recorded.turn, running.get(turn.id)?.request)
      parts.observer?.rested(recorded.turn)
    }
    return recorded
  }

  const runner: Runner = {
    room: (starting) => (draining || isFull(starting) ? undefined : lease),
    full: (starting) => !draining && isFull(starting),
    take,
    model: () => parts.model(),
    wake: () => claims.wake(),
    has: (turnId) => running.has(turnId),
    stop(turnId, reason) {
      const found = running.get(turnId)
      found?.controller.abort(reason)
      return found !== undefined
    },
    renew(next) {
      lease = next
      const reason = new AppError('lease_lost', 'this process was out of touch for too long')
      for (const { controller } of running.values()) controller.abort(reason)
    },
    get running() {
      return running.size
    },
    async drain(graceMs) {
      draining = true
      await claims.stop()
      const all = (): Promise<unknown> => Promise.all([...running.values()].map(({ over }) => over))
      for (const each of running.values()) stopIfHeld(each)
      await within(graceMs, all(), () => {})
      stopping = shutdown()
      for (const { controller } of running.values()) controller.abort(stopping)
      await within(releaseMs, all(), () => {})
    },
  }
  bus.onSignal((signal) => {
    if (signal.type === 'stop') runner.stop(signal.turnId, new AppError(signal.code, signal.message))
    if (signal.type === 'queued') claims.wake()
  })
  return runner
}

function shutdown(): AppError {
  return new AppError('shutting_down', 'the service is going down; the turn goes on after its restart')
}
