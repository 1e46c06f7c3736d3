// Missions: kept, changed and removed by their users. `mission-run-store` has what happens by the clock.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Mission, MissionChange, NewMission } from '#core/mission.ts'
import type { NewNews } from '#core/notification.ts'
import type { MissionStore } from '#core/store.ts'
import { dayMs } from '#core/time.ts'
import { notify } from './change-signal.ts'
import { enqueueNews } from './enqueue-news.ts'
import { databaseClock } from './lease-store.ts'
import { lastId, pageOf } from './list-page.ts'
import { missionOf, runColumns, runOf, textColumns, textValues } from './mission-rows.ts'
import { fireMission, runMissionNow, settleRun, unsettledRuns } from './mission-run-store.ts'
import { changes, first, type Job, query, type Row, run } from './sql.ts'
import { checkRoom } from './storage-quota.ts'
import type { StoreBase } from './store-base.ts'

/** Rows of a user that one step of an erasure takes. */
const maxErased = 2_000
/** Missions in a page of the list: those that are not done, in the first one, and done ones. */
const maxOpenListed = 1_000
const maxDoneListed = 100

export function createMissionStore({ sql, now, nextId, maxUserBytes = 0 }: Omit<StoreBase, 'seal'>): MissionStore {
  const { backend, lock } = sql
  /** Serialises transactions of all processes that count before they write. */
  const oneByOne = (key: string): Job<void> =>
    backend === 'sqlite' ? nothing() : run('SELECT pg_advisory_xact_lock(hashtext(?))', key)

  function* checkNumber(user: UserId, maxMissions: number): Job<void> {
    yield* oneByOne(`missions of ${user}`)
    const row = yield* first(
      `SELECT count(*) AS n FROM missions WHERE user_id = ? AND status IN ('active', 'paused')`,
      user,
    )
    if (Number(row?.['n']) < maxMissions) return
    const message = `you have ${maxMissions} missions that are not done, and may have no more: remove one first`
    throw new AppError('invalid_input', message)
  }

  function* add(user: UserId, mission: NewMission, { id, max }: { id: string; max: number }): Job<Mission> {
    yield* checkNumber(user, max)
    const values = textValues(mission)
    yield* checkRoom(user, { added: Number(values.at(-1)), max: maxUserBytes })
    const row = yield* first(
      `INSERT INTO missions (id, user_id, status, begins_at, planned_at, next_at, created_at, ${textColumns})
       VALUES (?, ?, 'active', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
      id,
      user,
      mission.from,
      mission.from,
      mission.nextAt,
      now(),
      ...values,
    )
    yield* notify(sql, { type: 'missions' })
    return missionOf(row ?? {})
  }

  function* change(
    before: Mission,
    given: MissionChange,
    maxMissions: number,
    news: readonly NewNews[],
  ): Job<Mission | undefined> {
    const { status = before.status, nextAt = before.nextAt ?? null, from = before.from } = given
    if (before.status === 'done' && status !== 'done') yield* checkNumber(before.userId, maxMissions)
    // A person who resumes a mission has seen why it was paused.
    const forget = given.status === 'active'
    const row = yield* first(
      `UPDATE missions SET (status, paused_because, failures, begins_at, planned_at, next_at, ${textColumns})
         = (?, ?, ?, ?, COALESCE(?, planned_at), ?, ?, ?, ?, ?, ?, ?, ?, ?)
       WHERE id = ? AND user_id = ? AND status = ? AND COALESCE(next_at, -1) = ? RETURNING *`,
      status,
      forget ? null : (given.pausedBecause ?? before.pausedBecause ?? null),
      forget ? 0 : before.failures,
      from,
      given.plannedAt ?? null,
      nextAt,
      ...textValues(changed(before, given)),
      before.id,
      before.userId,
      before.status,
      before.nextAt ?? -1,
    )
    if (row) for (const each of news) yield* enqueueNews(before.userId, each, { at: now(), nextId })
    yield* notify(sql, { type: 'missions' })
    return row && missionOf(row)
  }

  function* lastRunOf(missionId: string, condition: string): Job<Row | undefined> {
    return yield* first(
      `SELECT ${runColumns} FROM mission_runs r LEFT JOIN turns t ON t.id = r.turn_id
       WHERE r.mission_id = ? AND r.id < ?${condition} ORDER BY r.id DESC LIMIT 1`,
      missionId,
      lastId,
    )
  }

  return {
    add: (user, mission, max) => {
      const id = nextId()
      return sql.write(() => add(user, mission, { id, max }))
    },
    get: (user, id) =>
      sql.read(function* () {
        const row = yield* first('SELECT * FROM missions WHERE id = ? AND user_id = ?', id, user)
        return row && missionOf(row)
      }),
    list: (user, cursor) =>
      sql.read(function* () {
        const open =
          cursor === undefined
            ? yield* query(
                `SELECT * FROM missions WHERE user_id = ? AND status IN ('active', 'paused') ORDER BY id DESC LIMIT ?`,
                user,
                maxOpenListed,
              )
            : []
        const found = yield* query(
          `SELECT * FROM missions WHERE user_id = ? AND status = 'done' AND id < ? ORDER BY id DESC LIMIT ?`,
          user,
          cursor ?? lastId,
          maxDoneListed + 1,
        )
        const { rows: done, nextCursor } = pageOf(found, maxDoneListed, (row) => row)
        const rows = [...open, ...done].toSorted((one, two) => (String(one['id']) < String(two['id']) ? 1 : -1))
        const listed = []
        for (const row of rows) {
          const last = yield* lastRunOf(String(row['id']), '')
          listed.push({ mission: missionOf(row), ...(last && { lastRun: runOf(last) }) })
        }
        return { rows: listed, ...(nextCursor !== undefined && { nextCursor }) }
      }),
    change: (mission, given, max, news = []) => sql.write(() => change(mission, given, max, news)),
    remove: (user, id) =>
      sql.write(function* () {
        if ((yield* changes('DELETE FROM missions WHERE id = ? AND user_id = ?', id, user)) === 0) return false
        yield* run('DELETE FROM mission_runs WHERE mission_id = ?', id)
        yield* notify(sql, { type: 'missions' })
        return true
      }),
    runs: (user, id, { limit, cursor = lastId }) =>
      sql.read(function* () {
        const rows = yield* query(
          `SELECT ${runColumns} FROM mission_runs r LEFT JOIN turns t ON t.id = r.turn_id
           WHERE r.mission_id = ? AND r.user_id = ? AND r.id < ? ORDER BY r.id DESC LIMIT ?`,
          id,
          user,
          cursor,
          limit + 1,
        )
        return pageOf(rows, limit, runOf)
      }),
    lastRun: (user, id) =>
      sql.read(function* () {
        const row = yield* lastRunOf(id, ' AND r.turn_id IS NOT NULL AND r.outcome IS NOT NULL')
        return row && (yield* first('SELECT id FROM missions WHERE id = ? AND user_id = ?', id, user)) && runOf(row)
      }),
    nearest: () =>
      sql.read(function* () {
        const row = yield* first(
          `SELECT ${backend === 'sqlite' ? '0' : databaseClock} AS now,
                  (SELECT next_at FROM missions WHERE next_at IS NOT NULL ORDER BY next_at, id LIMIT 1) AS at`,
        )
        const at = row?.['at'] ?? null
        return { now: backend === 'sqlite' ? now() : Number(row?.['now']), ...(at !== null && { at: Number(at) }) }
      }),
    due: (until, limit) =>
      sql.read(function* () {
        const rows = yield* query(
          'SELECT * FROM missions WHERE next_at IS NOT NULL AND next_at <= ? ORDER BY next_at, id LIMIT ?',
          until,
          limit,
        )
        return rows.map(missionOf)
      }),
    fire: (firing) => {
      const ids = { turn: nextId(), nextId }
      return sql.write(() => fireMission(firing, { ids, now: now(), lock, maxUserBytes, oneByOne }))
    },
    runNow: (mission, turn, maxRunning) => {
      const ids = { turn: nextId(), nextId }
      return sql.write(() =>
        runMissionNow(mission, turn, { maxRunning, ids, now: now(), lock, maxUserBytes, oneByOne }),
      )
    },
    unsettled: (limit) => sql.read(() => unsettledRuns(limit)),
    settle: (end, pause, newsOf) =>
      sql.write(function* () {
        const settled = yield* settleRun(end, pause, { now: now(), nextId, newsOf })
        if (settled?.paused) yield* notify(sql, { type: 'missions' })
        return settled
      }),
    plannedAhead: (at, limit) =>
      sql.read(function* () {
        const rows = yield* query(
          `SELECT * FROM missions WHERE next_at IS NOT NULL AND planned_at > ? AND created_at <= ?
           ORDER BY planned_at LIMIT ?`,
          at,
          at,
          limit,
        )
        return rows.map(missionOf)
      }),
    takeBack: ({ id, nextAt: before = -1 }, nextAt, at) =>
      sql.write(function* () {
        const taken = yield* changes(
          `UPDATE missions SET next_at = ?, planned_at = ?, begins_at = CASE WHEN begins_at > ? THEN ? ELSE begins_at END
           WHERE id = ? AND next_at = ?`,
          nextAt,
          at,
          at,
          at,
          id,
          before,
        )
        if (taken === 0) return
        yield* run(`DELETE FROM mission_runs WHERE mission_id = ? AND nominal_at > ? AND outcome = 'missed'`, id, at)
      }),
    costs: (user, days) =>
      sql.readLong(user, function* () {
        const rows = yield* query(
          `SELECT s.mission_id, s.runs, s.priced, s.cost_usd, m.title FROM (
             SELECT mission_id, count(*) AS runs, count(cost_usd) AS priced, sum(cost_usd) AS cost_usd FROM mission_runs
             WHERE user_id = ? AND ended_at >= ? AND turn_id IS NOT NULL GROUP BY mission_id
           ) AS s JOIN missions m ON m.id = s.mission_id`,
          user,
          (Math.floor(now() / dayMs) - days + 1) * dayMs,
        )
        const costs = rows.map((row) => ({
          missionId: String(row['mission_id']),
          title: String(row['title']),
          runs: Number(row['runs']),
          costUsd: Number(row['priced']) === 0 ? null : Number(row['cost_usd']),
          unpricedRuns: Number(row['runs']) - Number(row['priced']),
        }))
        return costs.sort((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0) || b.runs - a.runs)
      }),
    zone: (user) =>
      sql.read(function* () {
        const row = yield* first('SELECT zone FROM user_zones WHERE user_id = ?', user)
        return row && String(row['zone'])
      }),
    setZone: (user, zone) =>
      sql.write(function* () {
        yield* run('DELETE FROM user_zones WHERE user_id = ?', user)
        if (zone !== undefined) yield* run('INSERT INTO user_zones (user_id, zone) VALUES (?, ?)', user, zone)
      }),
    eraseSome: (user) =>
      sql.write(function* () {
        // Missions first: none of them fires again.
        const missions = yield* changes('DELETE FROM missions WHERE user_id = ?', user)
        yield* run('DELETE FROM user_zones WHERE user_id = ?', user)
        const runs = yield* changes(
          'DELETE FROM mission_runs WHERE id IN (SELECT id FROM mission_runs WHERE user_id = ? LIMIT ?)',
          user,
          maxErased,
        )
        return missions + runs
      }),
  }
}

function changed(before: Mission, { tools, capUsd, ...given }: MissionChange): Mission {
  const { tools: hadTools, capUsd: hadCap, ...rest } = before
  const now = { tools: tools === undefined ? hadTools : tools, capUsd: capUsd === undefined ? hadCap : capUsd }
  const { title = rest.title, prompt = rest.prompt, schedule = rest.schedule } = given
  const { zone = rest.zone, missed = rest.missed } = given
  return {
    ...rest,
    title,
    prompt,
    schedule,
    zone,
    missed,
    ...(now.tools && { tools: now.tools }),
    ...(now.capUsd !== undefined && now.capUsd !== null && { capUsd: now.capUsd }),
  }
}

function* nothing(): Job<void> {}
