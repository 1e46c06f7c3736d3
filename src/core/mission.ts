// Missions: prompts with a schedule, and their runs. A run is identified by its mission and its nominal instant.
import type { UserId } from './ids.ts'
import type { NewNews } from './notification.ts'
import type { Page, PageQuery } from './page.ts'

export type MissionStatus = 'active' | 'paused' | 'done'

/** The rule for instants that passed while the service was down: the latest is made up for, or none. */
export type MissedPolicy = 'once' | 'skip'

/** The fields of a mission that its user sets. */
export type MissionText = {
  readonly title: string
  readonly prompt: string
  readonly schedule: string
  readonly zone: string
  /** The tools that a run may use; all without it. */
  readonly tools?: readonly string[]
  /** The most that one run may cost, in USD. */
  readonly capUsd?: number
  readonly missed: MissedPolicy
}

export type Mission = MissionText & {
  readonly id: string
  readonly userId: UserId
  readonly status: MissionStatus
  readonly pausedBecause?: string
  /** When the schedule began: spans are counted from it. */
  readonly from: number
  /** The first instant that nothing was done about; absent unless the mission is active. */
  readonly nextAt?: number
  /** Runs that failed in a row, without those by hand. */
  readonly failures: number
  readonly createdAt: number
}

export type NewMission = MissionText & { readonly from: number; readonly nextAt: number }

/** A change of a mission. `null` removes. */
export type MissionChange = Partial<Omit<MissionText, 'tools' | 'capUsd'>> & {
  readonly tools?: readonly string[] | null
  readonly capUsd?: number | null
  readonly status?: MissionStatus
  readonly pausedBecause?: string
  readonly from?: number
  readonly nextAt?: number | null
  /** The time at which `nextAt` was found, by the database's clock. */
  readonly plannedAt?: number
}

export type RunOutcome = 'ok' | 'quiet' | 'failed' | 'skipped' | 'missed' | 'waiting'

export type MissionRun = {
  readonly id: string
  readonly missionId: string
  readonly nominalAt: number
  readonly startedAt?: number
  readonly endedAt?: number
  /** Absent while it runs. */
  readonly outcome?: RunOutcome
  readonly threadId?: string
  readonly turnId?: string
  /** The beginning of the reply, or why there is none. */
  readonly summary?: string
  /** The origin of outside text that the run had read: its summary may repeat it. */
  readonly origin?: string
  readonly costUsd: number | null
  /** The number of instants that this row stands for, if it is not one. */
  readonly count?: number
  readonly byHand?: true
}

/** Missed instants from one on. */
export type MissedRow = { readonly at: number; readonly count?: number }

/** A mission is paused after this many failures in a row. */
export type PauseRule = { readonly afterFailures: number; readonly because: string }

/** How the turn of a run came to rest. */
export type RunEnd = {
  readonly turnId: string
  readonly outcome: 'ok' | 'quiet' | 'failed' | 'waiting'
  readonly endedAt?: number
  readonly summary: string
  readonly origin?: string
  readonly costUsd: number | null
  /** A person stopped it: no failure of the mission. */
  readonly stopped?: true
}

/** `paused` if this end paused its mission. */
export type SettledRun = { readonly mission: Mission; readonly paused: boolean }

/** News for the owner of a mission: a run that ended, or one that failed before it had a turn. */
export type SettledMission = SettledRun & {
  /** `stopped`: a person stopped it. */
  readonly outcome: RunEnd['outcome'] | 'stopped'
  /** The nominal instant of a run without a turn. */
  readonly at?: number
  readonly turn?: { readonly id: string; readonly threadId: string }
}

/** The news that is put into the outbox together with the end of a run. Pure. */
export type NewsOfRun = (settled: SettledRun) => readonly NewNews[]

export type ListedMission = { readonly mission: Mission; readonly lastRun?: MissionRun }

/** Missions and runs, as far as no turn is started. */
export interface MissionRecords {
  /** Throws invalid_input if the user has as many missions as they may, storage_full. */
  add(user: UserId, mission: NewMission, maxMissions: number): Promise<Mission>
  get(user: UserId, id: string): Promise<Mission | undefined>
  /**
   * A user's missions, newest first, with the latest run of each. The first page has those that are not done and the newest
   * done ones; the pages after it, the done ones before.
   */
  list(user: UserId, cursor?: string): Promise<Page<ListedMission>>
  /**
   * Changes a mission whose status and next instant are still those of `mission`; undefined if they are not. Its owner is
   * told the news of the change.
   */
  change(
    mission: Mission,
    change: MissionChange,
    maxMissions: number,
    news?: readonly NewNews[],
  ): Promise<Mission | undefined>
  /** Removes a mission with its runs; their threads stay. */
  remove(user: UserId, id: string): Promise<boolean>
  /** Runs of a mission, latest instant first. */
  runs(user: UserId, id: string, query: PageQuery): Promise<Page<MissionRun>>
  lastRun(user: UserId, id: string): Promise<MissionRun | undefined>
  /** The nearest instant of all missions, and the time: the database's on PostgreSQL. */
  nearest(): Promise<{ readonly now: number; readonly at?: number }>
  /** Missions that are due, earliest first. */
  due(now: number, limit: number): Promise<readonly Mission[]>
  /** Runs that have no outcome, or wait, while their turn has come to rest or is gone: their turn ids and users. */
  unsettled(limit: number): Promise<readonly { readonly turnId: string; readonly user: UserId }[]>
  /** Records the end of a run, once; a failure may pause the mission. Undefined if there is nothing to record. */
  settle(end: RunEnd, pause: PauseRule, newsOf?: NewsOfRun): Promise<SettledRun | undefined>
  /**
   * Missions whose next instant was found at a time that lies ahead: the clock was ahead then. Not those that were created
   * later than now: it is this clock that is wrong, as that of a machine which has just booted may be.
   */
  plannedAhead(now: number, limit: number): Promise<readonly Mission[]>
  /** Sets the next instant of such a mission, and forgets what it has missed ahead of now: that comes again. */
  takeBack(mission: Mission, nextAt: number, now: number): Promise<void>
  /** The costs of a user's missions in the last `days` UTC days, today included, the dearest first. */
  costs(user: UserId, days: number): Promise<readonly MissionCost[]>
  zone(user: UserId): Promise<string | undefined>
  setZone(user: UserId, zone: string | undefined): Promise<void>
  /** Erases a bounded part of a user's missions and runs; returns how many rows. */
  eraseSome(user: UserId): Promise<number>
}

export type MissionCost = {
  readonly missionId: string
  readonly title: string
  readonly runs: number
  /** The known part of the cost; null when none is known. */
  readonly costUsd: number | null
  /** Runs with a call of an unknown price, which are not in the cost. */
  readonly unpricedRuns: number
}
