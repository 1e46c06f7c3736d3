// What was used of each model, by user and day: counted with the steps, in their transactions.
import { dayMs } from '#core/account.ts'
import { type Door, doorOf, doorOfSlot } from '#core/doors.ts'
import { AppError } from '#core/errors.ts'
import { type UserId, userId } from '#core/ids.ts'
import type { Lease, Reserved, Step } from '#core/store.ts'
import type { ModelCall, Turn } from '#core/turn.ts'
import type { DayUsage, UsageStore, UsageTotals } from '#core/usage.ts'
import { countsOf, usageIn } from './rows.ts'
import { first, type Job, query, type Row, run, type Sql } from './sql.ts'
import { isBroken, isRunning } from './turn-status.ts'

/** A list of usage has no more rows than this. */
const maxRows = 20_000

/** Of so many slots of each door a turn counts into one. What was counted before doors were has those of slot 0. */
const slotsOfDoor = 16

export function createUsageStore({ sql, now }: { sql: Sql; now: () => number }): UsageStore {
  return {
    add: (user, door, call) =>
      sql.write(() => addCall({ user, slot: firstSlotOf(door), turns: 0, day: dayOf(now()) }, call)),
    list: (user, days) => sql.read(() => listUsage(user, dayOf(now()) - days + 1)),
    totals: (user, days) => sql.read(() => totalsOf(user, dayOf(now()) - days + 1, days)),
  }
}

function firstSlotOf(door: Door): number {
  return slotsOfDoor * doorOf(door).slot
}

/** The day of UTC that a time falls on, counted from 1970. */
export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs)
}

/**
 * Adds what the models took in a step. Last in its transaction: whoever counts into the same row waits for its commit,
 * which is why a user's turns count into one of sixteen each, of their door.
 */
export function* countUsage(turn: Turn, { drafts, first: begins, asked: lost }: Step, now: number): Job<void> {
  let turns = begins ? 1 : 0
  const slot = firstSlotOf(turn.door) + Number.parseInt(turn.id.at(-1) ?? '0', 16)
  for (const { asked } of [...drafts, { asked: lost }]) {
    if (!asked) continue
    yield* addCall({ user: turn.userId, slot, turns, day: dayOf(now) }, asked)
    turns = 0
  }
}

type Place = { readonly user: UserId; readonly slot: number; readonly turns: number; readonly day: number }

function* addCall({ user, slot, turns, day }: Place, { model, usage }: ModelCall): Job<void> {
  yield* run(
    `INSERT INTO usage (user_id, day, model, slot, turns, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_usd)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (user_id, day, model, slot) DO UPDATE SET turns = usage.turns + excluded.turns,
         input_tokens = usage.input_tokens + excluded.input_tokens,
         cached_tokens = usage.cached_tokens + excluded.cached_tokens,
         output_tokens = usage.output_tokens + excluded.output_tokens,
         reasoning_tokens = usage.reasoning_tokens + excluded.reasoning_tokens,
         cost_usd = COALESCE(usage.cost_usd + excluded.cost_usd, usage.cost_usd, excluded.cost_usd)`,
    user,
    day,
    model,
    slot,
    turns,
    ...countsOf(usage),
  )
}

type Held = { readonly usd: number; readonly cap: number; readonly now: number }

/**
 * Holds money for a turn's next call. Whoever does so for the same user waits at a row without a model; what is spent and
 * what is held are looked at in one statement, for a step turns the one into the other.
 */
export function* reserve(turn: Turn, lease: Lease, { usd, cap, now }: Held): Job<Reserved> {
  yield* run(
    `INSERT INTO usage (user_id, day, model, slot, turns, input_tokens, cached_tokens, output_tokens, reasoning_tokens)
     VALUES (?, ?, '', 0, 0, 0, 0, 0, 0) ON CONFLICT (user_id, day, model, slot) DO UPDATE SET turns = 0`,
    turn.userId,
    dayOf(now),
  )
  const row = yield* first(
    `SELECT (SELECT sum(cost_usd) FROM usage WHERE user_id = ? AND day = ?) AS spent,
            (SELECT sum(reserved_usd) FROM turns WHERE ${isRunning} AND user_id || '' = ? AND id <> ?) AS held`,
    turn.userId,
    dayOf(now),
    turn.userId,
    turn.id,
  )
  const [spentUsd, heldUsd] = [Number(row?.['spent'] ?? 0), Number(row?.['held'] ?? 0)]
  if (spentUsd >= cap || spentUsd + heldUsd + usd > cap) return { granted: false, spentUsd, heldUsd }
  const held = yield* first(
    `UPDATE turns SET reserved_usd = ? WHERE id = ? AND owner = ? AND epoch = ? AND status = 'running' RETURNING id`,
    usd,
    turn.id,
    lease.owner,
    lease.epoch,
  )
  if (!held) throw new AppError('lease_lost', `turn ${turn.id} is no longer run by this process`)
  return { granted: true, spentUsd, heldUsd }
}

function* listUsage(user: UserId | undefined, from: number): Job<DayUsage[]> {
  const rows = yield* query(
    `SELECT user_id, day, model, sum(turns) AS turns, sum(input_tokens) AS input_tokens,
            sum(cached_tokens) AS cached_tokens, sum(output_tokens) AS output_tokens,
            sum(reasoning_tokens) AS reasoning_tokens, sum(cost_usd) AS cost_usd
     FROM usage WHERE day >= ? AND model <> ''${user === undefined ? '' : ' AND user_id = ?'}
     GROUP BY day, user_id, model ORDER BY day DESC, user_id DESC, model DESC LIMIT ${maxRows}`,
    from,
    ...(user === undefined ? [] : [user]),
  )
  // The index is read backwards; within a day names go forwards.
  const place = ({ user, model }: DayUsage): string => `${user} ${model}`
  return rows
    .map(usageOf)
    .sort((a, b) => (a.date === b.date ? (place(a) < place(b) ? -1 : 1) : a.date < b.date ? 1 : -1))
}

function* totalsOf(user: UserId | undefined, from: number, days: number): Job<UsageTotals> {
  const [ofUser, who] = user === undefined ? ['', []] : [' AND user_id = ?', [user]]
  const rows = yield* query(
    `SELECT slot / ${slotsOfDoor} AS door, sum(turns) AS turns, sum(cost_usd) AS cost_usd
     FROM usage WHERE day >= ? AND model <> ''${ofUser} GROUP BY slot / ${slotsOfDoor}`,
    from,
    ...who,
  )
  const before = yield* first(
    `SELECT count(*) AS n, sum(cost_usd) AS usd FROM usage WHERE day >= ? AND day < ? AND model <> ''${ofUser}`,
    from - days,
    from,
    ...who,
  )
  // Both conditions begin an index of broken turns; their ids tell when they began.
  const whose = user === undefined ? 'operator_reaches IN (0, 1)' : 'user_id = ?'
  const broken = yield* query(
    `SELECT status, count(*) AS n FROM turns WHERE ${isBroken} AND ${whose} AND id >= ? GROUP BY status`,
    ...who,
    firstIdOf(from),
  )
  const ended = (status: string): number => Number(broken.find((row) => row['status'] === status)?.['n'] ?? 0)
  return {
    ...(Number(before?.['n'] ?? 0) > 0 && { beforeUsd: Number(before?.['usd'] ?? 0) }),
    failed: ended('failed'),
    cancelled: ended('cancelled'),
    doors: rows.map((row) => {
      const door = doorOfSlot(Number(row['door']))
      const cost = row['cost_usd']
      return { ...(door && { door }), turns: Number(row['turns']), costUsd: cost === null ? null : Number(cost) }
    }),
  }
}

/** What the ids of a day are not below: they begin with their time. */
function firstIdOf(day: number): string {
  const hex = (day * dayMs).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

function usageOf(row: Row): DayUsage {
  return {
    date: new Date(Number(row['day']) * dayMs).toISOString().slice(0, 10),
    user: userId(String(row['user_id'])),
    model: String(row['model']),
    turns: Number(row['turns']),
    ...usageIn(row),
  }
}
