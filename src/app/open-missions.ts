// Opens missions. Their code is loaded with the first mission, or when somebody first asks for missions.
import type { Bus } from '#core/bus.ts'
import type { UserId } from '#core/ids.ts'
import type { SettledMission } from '#core/mission.ts'
import type { NewNews } from '#core/notification.ts'
import type { Store } from '#core/store.ts'
import type { Tools } from '#core/tool.ts'
import type { Turn } from '#core/turn.ts'
import { loadOnce } from '#lib/load-once.ts'
import type { Log } from '#lib/log.ts'
import { nextTurn } from '#lib/pace.ts'
import type { Missions } from '#missions/missions.ts'
import type { Turns } from '#turns/turns.ts'

export type OpenMissions = {
  readonly missions: () => Promise<Missions>
  /** Fires missions from now on: for a service, not for a command that opens the app for a moment. */
  start(): Promise<void>
  /** Stops firing: to be called before the turns are drained, so that a shutdown starts nothing new. */
  stop(): Promise<void>
  /** Waits until the ends of runs are recorded: to be called after the turns are drained. */
  close(): Promise<void>
}

export type OpenMissionsParts = {
  readonly store: Store
  readonly bus: Bus
  readonly turns: Turns
  readonly onRest: (listener: (turn: Turn) => void) => void
  /** The news for the owner of a run that ended, or of a mission that was paused. */
  readonly newsOf: (settled: SettledMission) => readonly NewNews[]
  /** News of a user may have come into the outbox. */
  readonly onNews: (user: UserId) => void
  readonly tools: (user: UserId) => Tools
  readonly log: Log
}

export function openMissions(parts: OpenMissionsParts): OpenMissions {
  const { store, bus, turns, onRest, newsOf, onNews, tools, log } = parts
  let started = false
  let closed = false

  const clock = loadOnce(async () => {
    const { createMissionClock } = await import('#missions/clock.ts')
    return createMissionClock({ store, turns, bus, log, newsOf, onNews })
  })

  async function wake(): Promise<void> {
    if (started && !closed) (await clock()).wake()
  }

  const report = (error: unknown): void => log.error({ err: error }, 'could not start the clock of missions')
  const wakeLater = (): void => void wake().catch(report)

  onRest((turn) => {
    if (turn.door === 'mission') void clock().then((running) => running.rested(turn), report)
  })
  bus.onSignal((signal) => {
    if (signal.type === 'missions') wakeLater()
  })
  return {
    async start() {
      started = true
      const [{ at }, open] = await Promise.all([store.missions.nearest(), store.missions.unsettled(1)])
      if (at !== undefined || open.length > 0) await wake()
    },
    missions: loadOnce(async () => {
      await nextTurn()
      const { createMissions } = await import('#missions/missions.ts')
      // The first schedule that is read takes as long as the load.
      await nextTurn()
      return createMissions({
        store,
        turns,
        toolNames: (user) => new Set(tools(user).byName.keys()),
        onChange: wakeLater,
      })
    }),
    async stop() {
      closed = true
      await (await clock.begun())?.stop()
    },
    async close() {
      closed = true
      await (await clock.begun())?.close()
    },
  }
}
