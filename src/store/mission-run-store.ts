// Runs of missions. A run and its turn are stored in one transaction, together with the mission's next instant, so that
// each instant has one row and at most one turn, whatever process fires it and whenever that is killed.
import { AppError } from '#core/errors.ts'
import { type UserId, userId } from '#core/ids.ts'
import type { Mission, MissionRun, NewsOfRun, PauseRule, RunEnd, SettledRun } from '#core/mission.ts'
import type { Fired, Firing } from '#core/store.ts'
import type { NewTurn, StoredTurn } from '#core/turn-store.ts'
import { enqueueNews } from './enqueue-news.ts'
import { missionOf } from './mission-rows.ts'
import { first, type Job, query, run } from './sql.ts'
import { startTurn } from './start-turn.ts'
import { rowBytes } from './storage-quota.ts'

type RunParts = {
  readonly ids: { readonly turn: string; readonly nextId: () => string }
  readonly now: number
  readonly lock: string
  readonly maxUserBytes: number
  /** Lets one transaction of all processes go on at a time. */
  readonly oneByOne: (key: string) => Job<void>
}

/** Runs whose turn is under way. A run whose turn has ended, but was not settled because of a crash, does not count. */
const underWay = `FROM mission_runs r WHERE r.ended_at IS NULL AND r.outcome IS NULL
  AND EXISTS (SELECT 1 FROM turns t WHERE t.id = r.turn_id AND t.status IN ('queued', 'running'))`

export function* fireMission(firing: Firing, parts: RunParts): Job<Fired> {
  const { mission, missed, run: due, next, maxRunning } = firing
  const { now, lock, ids } = parts
  if (due) yield* parts.oneByOne('runs of missions')
  const row = yield* first(
    `SELECT id FROM missions WHERE id = ? AND next_at = ?${lock}`,
    mission.id,
    mission.nextAt ?? null,
  )
  if (!row) return { type: 'lost' }
  const starts = due !== undefined && 'turn' in due
  const busy = starts && (yield* isUnderWay(mission.id))
  if (starts && !busy && (yield* countUnderWay()) >= maxRunning) return { type: 'full' }
  for (const { at, count } of missed) {
    yield* saveRun(mission, { id: ids.nextId(), at, outcome: 'missed', now, ...(count && { count }) })
  }
  yield* run(
    `UPDATE missions SET next_at = ?, planned_at = ?, status = ? WHERE id = ?`,
    next ?? null,
    firing.plannedAt,
    next === undefined ? 'done' : 'active',
    mission.id,
  )
  if (!due || (yield* hasRun(mission.id, due.at))) return { type: 'recorded', paused: false }
  const id = ids.nextId()
  if (!('turn' in due)) {
    yield* saveRun(mission, { id, at: due.at, outcome: 'failed', now, summary: due.fault })
    const settled = yield* countEnd(mission.id, true, firing.pause)
    yield* tell(settled, { now, nextId: ids.nextId, newsOf: firing.newsOf })
    return { type: 'recorded', paused: settled.paused }
  }
  if (busy) {
    yield* saveRun(mission, { id, at: due.at, outcome: 'skipped', now })
    return { type: 'recorded', paused: false }
  }
  const stored = yield* startTurn(due.turn, { id: ids.turn, ...parts })
  yield* saveRun(mission, { id, at: due.at, now, stored })
  return { type: 'started', stored }
}

/** A run by hand: its nominal instant is now. */
export function* runMissionNow(
  mission: Mission,
  turn: NewTurn,
  { maxRunning, ...parts }: RunParts & { readonly maxRunning: number },
): Job<{ stored: StoredTurn; run: MissionRun }> {
  const { ids, now, lock } = parts
  yield* parts.oneByOne('runs of missions')
  if (!(yield* first(`SELECT id FROM missions WHERE id = ?${lock}`, mission.id))) {
    throw new AppError('not_found', 'the mission does not exist')
  }
  if (yield* isUnderWay(mission.id)) {
    throw new AppError('mission_running', 'a run of this mission is under way: wait for it, or stop it')
  }
  if ((yield* countUnderWay()) >= maxRunning) {
    const message = `${maxRunning} runs of missions are under way, as many as may: try again in a moment`
    throw new AppError('overloaded', message, { retryAfterSecs: 10 })
  }
  let at = now
  while (yield* hasRun(mission.id, at)) at++
  const stored = yield* startTurn(turn, { id: ids.turn, ...parts })
  const id = ids.nextId()
  yield* saveRun(mission, { id, at, now, stored, byHand: true })
  const { id: turnId, threadId } = stored.turn
  const begun: MissionRun = {
    id,
    missionId: mission.id,
    nominalAt: at,
    startedAt: now,
    threadId,
    turnId,
    costUsd: 0,
    byHand: true as const,
  }
  return { stored, run: begun }
}

type RunRow = {
  readonly id: string
  readonly at: number
  readonly now: number
  /** Absent for a run that begins. */
  readonly outcome?: 'missed' | 'skipped' | 'failed'
  readonly stored?: StoredTurn
  readonly count?: number
  readonly summary?: string
  readonly byHand?: boolean
}

/** An instant that has a row keeps it. */
function* saveRun({ id: missionId, userId: user }: Mission, row: RunRow): Job<void> {
  const turn = row.stored?.turn
  yield* run(
    `INSERT INTO mission_runs (id, mission_id, user_id, nominal_at, started_at, ended_at, outcome, thread_id, turn_id,
       summary, cost_usd, instants, by_hand, bytes)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?) ON CONFLICT (mission_id, nominal_at) DO NOTHING`,
    row.id,
    missionId,
    user,
    row.at,
    turn ? row.now : null,
    turn ? null : row.now,
    row.outcome ?? null,
    turn?.threadId ?? null,
    turn?.id ?? null,
    row.summary ?? null,
    row.count ?? null,
    row.byHand ? 1 : 0,
    rowBytes + Buffer.byteLength(row.summary ?? ''),
  )
}

function* isUnderWay(missionId: string): Job<boolean> {
  return (yield* first(`SELECT r.id ${underWay} AND r.mission_id = ? LIMIT 1`, missionId)) !== undefined
}

function* countUnderWay(): Job<number> {
  return Number((yield* first(`SELECT count(*) AS n ${underWay}`))?.['n'])
}

function* hasRun(missionId: string, at: number): Job<boolean> {
  return (
    (yield* first('SELECT id FROM mission_runs WHERE mission_id = ? AND nominal_at = ?', missionId, at)) !== undefined
  )
}

/** Runs that have not ended while their turn has, or waits, or is gone. */
export function* unsettledRuns(limit: number): Job<{ turnId: string; user: UserId }[]> {
  const begun = yield* query(
    `SELECT r.turn_id, r.user_id FROM mission_runs r LEFT JOIN turns t ON t.id = r.turn_id
     WHERE r.ended_at IS NULL AND r.outcome IS NULL AND COALESCE(t.status, 'gone') NOT IN ('queued', 'running') LIMIT ?`,
    limit,
  )
  // A run that waited is begun again for a while, once it was answered.
  const waited = yield* query(
    `SELECT r.turn_id, r.user_id FROM mission_runs r LEFT JOIN turns t ON t.id = r.turn_id
     WHERE r.ended_at IS NULL AND r.outcome = 'waiting'
       AND COALESCE(t.status, 'gone') NOT IN ('queued', 'running', 'waiting') LIMIT ?`,
    limit - begun.length,
  )
  return [...begun, ...waited].map((row) => ({
    turnId: String(row['turn_id']),
    user: userId(String(row['user_id'])),
  }))
}

type TellParts = {
  readonly now: number
  readonly nextId: () => string
  readonly newsOf: NewsOfRun | undefined
}

/** Puts the news of an end into the outbox, in the transaction that records the end: a kill loses neither. */
function* tell(settled: SettledRun, { now, nextId, newsOf }: TellParts): Job<void> {
  for (const news of newsOf?.(settled) ?? []) yield* enqueueNews(settled.mission.userId, news, { at: now, nextId })
}

export function* settleRun(end: RunEnd, pause: PauseRule, parts: TellParts): Job<SettledRun | undefined> {
  const settled = yield* recordEnd(end, pause, parts.now)
  if (settled) yield* tell(settled, parts)
  return settled
}

function* recordEnd(end: RunEnd, pause: PauseRule, now: number): Job<SettledRun | undefined> {
  const waits = end.outcome === 'waiting'
  const row = yield* first(
    `UPDATE mission_runs SET outcome = ?, ended_at = ?, summary = ?, origin = ?, cost_usd = ?, bytes = ?
     WHERE turn_id = ? AND ended_at IS NULL RETURNING mission_id, by_hand`,
    end.outcome,
    waits ? null : (end.endedAt ?? now),
    end.summary,
    end.origin ?? null,
    end.costUsd,
    rowBytes + Buffer.byteLength(end.summary),
    end.turnId,
  )
  if (!row) return undefined
  // After the row is locked: a thread that was removed since the end was read leaves no word, see erase.ts.
  if (!end.stopped) {
    yield* run(
      `UPDATE mission_runs SET summary = NULL, origin = NULL, bytes = ?
       WHERE turn_id = ? AND NOT EXISTS (SELECT 1 FROM turns WHERE id = ?)`,
      rowBytes,
      end.turnId,
      end.turnId,
    )
  }
  const missionId = String(row['mission_id'])
  if (!waits && !end.stopped && Number(row['by_hand']) === 0) {
    return yield* countEnd(missionId, end.outcome === 'failed', pause)
  }
  const found = yield* first('SELECT * FROM missions WHERE id = ?', missionId)
  return found && { mission: missionOf(found), paused: false }
}

/** Counts failures in a row; a mission with too many is paused. */
function* countEnd(missionId: string, failed: boolean, { afterFailures, because }: PauseRule): Job<SettledRun> {
  const counted = yield* first(
    `UPDATE missions SET failures = ${failed ? 'failures + 1' : '0'} WHERE id = ? RETURNING *`,
    missionId,
  )
  if (!counted) throw new Error(`a run has no mission ${missionId}`)
  const mission = missionOf(counted)
  if (mission.failures < afterFailures || mission.status !== 'active') return { mission, paused: false }
  const paused = yield* first(
    `UPDATE missions SET status = 'paused', paused_because = ?, next_at = NULL WHERE id = ? RETURNING *`,
    because,
    missionId,
  )
  return { mission: missionOf(paused ?? counted), paused: true }
}
