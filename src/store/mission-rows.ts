// Rows of missions and runs as domain values.
import { userId } from '#core/ids.ts'
import type { MissedPolicy, Mission, MissionRun, MissionStatus, MissionText, RunOutcome } from '#core/mission.ts'
import { withoutUndefined } from '#lib/without-undefined.ts'
import type { Row, Value } from './sql.ts'
import { bytesOfRows } from './storage-quota.ts'

export function missionOf(row: Row): Mission {
  return {
    id: String(row['id']),
    userId: userId(String(row['user_id'])),
    status: String(row['status']) as MissionStatus,
    ...(row['paused_because'] !== null && { pausedBecause: String(row['paused_because']) }),
    title: String(row['title']),
    prompt: String(row['prompt']),
    schedule: String(row['schedule']),
    zone: String(row['zone']),
    from: Number(row['begins_at']),
    ...(row['next_at'] !== null && { nextAt: Number(row['next_at']) }),
    ...(row['tools'] !== null && { tools: JSON.parse(String(row['tools'])) as string[] }),
    ...(row['cap_usd'] !== null && { capUsd: Number(row['cap_usd']) }),
    missed: String(row['missed']) as MissedPolicy,
    failures: Number(row['failures']),
    createdAt: Number(row['created_at']),
  }
}

/** The columns title to missed, and the bytes, as values in this order. */
export const textColumns = 'title, prompt, schedule, zone, tools, cap_usd, missed, bytes'

export function textValues({ title, prompt, schedule, zone, tools, capUsd, missed }: MissionText): Value[] {
  const names = tools ? JSON.stringify(tools) : null
  return [title, prompt, schedule, zone, names, capUsd ?? null, missed, bytesOfRows([title + prompt + (names ?? '')])]
}

/** The columns of a run in a query that also reads its turn as `t`: a run that has not ended costs what its turn has cost. */
export const runColumns = `r.id, r.mission_id, r.nominal_at, r.started_at, r.ended_at, r.outcome, r.thread_id, r.turn_id,
  r.summary, r.origin, r.instants, r.by_hand,
  CASE WHEN r.ended_at IS NULL AND t.id IS NOT NULL THEN t.cost_usd ELSE r.cost_usd END AS cost_usd`

export function runOf(row: Row): MissionRun {
  const text = (name: string): string | undefined => (row[name] === null ? undefined : String(row[name]))
  const number = (name: string): number | undefined => (row[name] === null ? undefined : Number(row[name]))
  const [outcome, threadId, turnId] = [text('outcome') as RunOutcome | undefined, text('thread_id'), text('turn_id')]
  const [startedAt, endedAt, count] = [number('started_at'), number('ended_at'), number('instants')]
  const [summary, origin] = [text('summary'), text('origin')]
  return {
    id: String(row['id']),
    missionId: String(row['mission_id']),
    nominalAt: Number(row['nominal_at']),
    ...withoutUndefined({ startedAt, endedAt, outcome, threadId, turnId, summary, origin, count }),
    costUsd: number('cost_usd') ?? null,
    ...(Number(row['by_hand']) === 1 && { byHand: true as const }),
  }
}
