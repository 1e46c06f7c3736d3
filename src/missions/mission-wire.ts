// Missions and runs as JSON, the same for every door and command.
import type { MissionRun } from '#core/mission.ts'
import type { Page } from '#core/page.ts'
import { isoTime, isoTimeOrNull } from '#core/time.ts'
import { withoutUndefined } from '#lib/without-undefined.ts'
import type { MissionView, Preview } from './missions.ts'

export function missionWire(mission: MissionView) {
  const { id, title, prompt, schedule, understood, zone, status, pausedBecause, tools, capUsd, missed } = mission
  return {
    id,
    title,
    prompt,
    schedule,
    understood,
    zone,
    status,
    ...(pausedBecause !== undefined && { paused_because: pausedBecause }),
    next_runs: mission.nextRuns.map(isoTime),
    ...(tools && { tools: [...tools] }),
    ...(capUsd !== undefined && { cap_usd: capUsd }),
    missed,
    created_at: isoTime(mission.createdAt),
    ...(mission.lastRun && { last_run: runWire(mission.lastRun) }),
  }
}

export function missionsWire({ rows, nextCursor }: Page<MissionView>) {
  return { missions: rows.map(missionWire), next_cursor: nextCursor ?? null }
}

/** `outcome` is null while it runs. */
export function runWire(run: MissionRun) {
  const { id, nominalAt, startedAt, endedAt, outcome, threadId, turnId, summary, costUsd, count } = run
  return {
    id,
    nominal_at: isoTime(nominalAt),
    started_at: isoTimeOrNull(startedAt),
    ended_at: isoTimeOrNull(endedAt),
    outcome: outcome ?? null,
    ...withoutUndefined({ thread_id: threadId, turn_id: turnId, summary }),
    cost_usd: costUsd,
    ...(count !== undefined && { count }),
  }
}

export function previewWire({ understood, nextRuns, zone }: Preview) {
  return { understood, next_runs: nextRuns.map(isoTime), zone }
}

export type MissionsJson = ReturnType<typeof missionsWire>
export type MissionJson = ReturnType<typeof missionWire>
export type RunJson = ReturnType<typeof runWire>
