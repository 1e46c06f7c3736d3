// Opens the turns of this process: the runner, metrics and traces, the lease, and what happens by the clock.
import { defaultBounds } from '#agent/turn-limits.ts'
import { createHistories } from '#agent/history.ts'
import type { Bus } from '#core/bus.ts'
import type { UserId } from '#core/ids.ts'
import type { Lease } from '#core/lease.ts'
import type { Store } from '#core/store.ts'
import type { Tools } from '#core/tool.ts'
import type { Turn } from '#core/turn.ts'
import { createClock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import { createMetrics, type Metrics } from '#lib/metrics.ts'
import { inPace } from '#lib/pace.ts'
import type { Identity } from '#memory/identity.ts'
import type { Fence } from '#safety/fence.ts'
import type { Skills } from '#skills/skills.ts'
import { loadTyped } from '#skills/slash.ts'
import { loadToolName } from '#skills/tools.ts'
import type { ModelChecks } from '#turns/thread-model.ts'
import { continueTurns } from '#turns/continue-turns.ts'
import { watchExpiry } from '#turns/gate-expiry.ts'
import { createGates, type Gates } from '#turns/gates.ts'
import { startHeartbeat } from '#turns/lease.ts'
import { createReaders, type Readers } from '#turns/readers.ts'
import { watchRetention } from '#turns/retention.ts'
import { createRunner, type Runner } from '#turns/runner.ts'
import { createSpend } from '#turns/spend.ts'
import { watchTemporaryThreads } from '#turns/temporary-threads.ts'
import { createThreadIndexer } from '#turns/thread-indexer.ts'
import { createThreads, type Threads } from '#turns/threads.ts'
import { createThreadTitles } from '#turns/thread-titles.ts'
import { createTurnMetrics, type Observer } from '#turns/turn-metrics.ts'
import { createTurns, type Turns } from '#turns/turns.ts'
import { watchRemovals } from '#turns/user-removal.ts'
import type { LiveSettings } from './live-settings.ts'
import { openTelemetry } from './open-telemetry.ts'
import type { Policy } from './policy.ts'
import { eraseWorkspace } from './workspace-folder.ts'

export type OpenTurns = {
  readonly turns: Turns
  readonly threads: Threads
  readonly gates: Gates
  readonly readers: Readers
  readonly runner: Runner
  readonly metrics: Metrics
  /** Calls the listener for every turn that comes to rest in this process, or is ended by it. */
  readonly onRest: (listener: (turn: Turn) => void) => void
  /** True while the database cannot be reached. */
  readonly storeAway: () => boolean
  /** Releases the turns that still run, for a restart or another process. */
  close(): Promise<void>
}

export type OpenTurnsParts = {
  readonly store: Store
  readonly bus: Bus
  readonly lease: Lease
  readonly live: LiveSettings
  readonly identity: Identity
  readonly skills: Skills
  readonly policy: Policy
  readonly tools: (user: UserId) => Tools
  readonly fence: Fence
  readonly modelChecks: ModelChecks
  readonly log: Log
}

/** Also continues turns that were left by the last run of this home or by a lost process. */
export async function openTurns(parts: OpenTurnsParts): Promise<OpenTurns> {
  const { store, bus, lease, live, identity, skills, policy, tools, fence, modelChecks, log } = parts
  await using opened = new AsyncDisposableStack()
  const { config } = live
  const metrics = createMetrics()
  const turnMetrics = createTurnMetrics(metrics)
  const telemetry = await openTelemetry({ config, store, metrics, log, instance: lease.owner })
  opened.defer(async () => telemetry?.close())
  const restListeners: ((turn: Turn) => void)[] = []
  const observer: Observer = {
    stepped: (...step) => turnMetrics.stepped(...step),
    rested(turn) {
      turnMetrics.rested(turn)
      telemetry?.rested(turn)
      for (const listener of restListeners) listener(turn)
    },
  }
  const marker = () => live.safety().marker()
  const mask = (text: string, user: UserId) => inPace(live.scan(user).maskInSlices(text))
  const maskSent = (text: string, user: UserId) => inPace(live.scanSent(user).maskInSlices(text))
  const spend = createSpend({ store, caps: () => config().caps })
  const runner = createRunner({
    store,
    observer,
    bus,
    lease,
    log,
    histories: createHistories({ threads: store.threads, fence, marker }),
    model: live.model.open,
    tools,
    judge: policy.judge,
    grants: policy.grants,
    marker,
    mask,
    identity: (user) => identity.partsFor(user),
    skills: async (user) => {
      const catalogue = await skills.catalogue(user)
      // The operator may have switched the tools off.
      return (window) => (tools(user).byName.has(loadToolName) ? catalogue(window) : '')
    },
    bounds: {
      ...defaultBounds,
      get steps() {
        return config().steps
      },
    },
    spend,
    maxRunning: config().maxRunning,
  })
  const eraseFiles = (user: UserId): Promise<number> => eraseWorkspace(config(), user)
  const loadSkill = (user: UserId, text: string) => loadTyped(skills, user, text)
  const turns = createTurns({
    store,
    bus,
    runner,
    observer,
    marker,
    mask: maskSent,
    spend,
    eraseFiles,
    loadSkill,
    ...modelChecks,
  })
  const indexer = createThreadIndexer({ index: store.threadIndex, leases: store.leases, owner: lease.owner, log })
  opened.defer(() => indexer.stop())
  restListeners.push(({ threadId }) => indexer.note(threadId))
  const onChange = (threadId: string): void => indexer.note(threadId)
  const threads = createThreads({ store, bus, mask: maskSent, ...modelChecks, onChange })
  const titles = createThreadTitles({ threads, turns, model: live.model.open, mask, log })
  opened.defer(() => titles.stop())
  restListeners.push((turn) => titles.note(turn))
  const gates = createGates({ store, bus })
  bus.onSignal((signal) => {
    if (signal.type === 'grants') policy.grants.forget(signal.user)
    if (signal.type === 'removed') {
      eraseFiles(signal.user).catch((error: unknown) =>
        log.error({ err: error }, 'could not erase the files of a removed user'),
      )
    }
  })

  opened.defer(await continueTurns({ store, runner, lease, log }))
  const clock = createClock({ log })
  opened.defer(() => clock.close())
  const readers = createReaders({ turns, bus, clock, stopsTurns: config().responses.disconnect === 'stop' })
  const heartbeat = store.backend === 'postgres' ? startHeartbeat({ store, runner, lease, clock, log }) : undefined
  opened.defer(async () => heartbeat?.stop())
  // Runs before the lease is given up: turns can be released only under it.
  opened.defer(() => runner.drain(0))
  watchExpiry({ store, gates, clock })
  watchTemporaryThreads({ store, lease, clock })
  opened.defer(watchRemovals({ store, bus, lease, clock, eraseFiles, log }))
  opened.defer(watchRetention({ store, bus, lease, clock, retentionDays: () => config().retentionDays, log }))
  const closing = opened.move()
  const storeAway = (): boolean => heartbeat?.away() ?? false
  const onRest: OpenTurns['onRest'] = (listener) => restListeners.push(listener)
  return { turns, threads, gates, readers, runner, metrics, onRest, storeAway, close: () => closing.disposeAsync() }
}
