// Usage of each model, by user and day. It is counted in the transactions of the steps.
import { type Door, doorOf, doorOfSlot } from '#core/doors.ts'
import { AppError } from '#core/errors.ts'
import { idAt, operator, type UserId, userId } from '#core/ids.ts'
import type { Lease } from '#core/lease.ts'
import type { Reservation, Step } from '#core/turn-store.ts'
import { ended } from '#core/turn-status.ts'
import { type ModelCall, noUsage, type Turn, type Usage } from '#core/turn.ts'
import type { CostSum, DayUsage, UsageStore, UsageTotals } from '#core/usage.ts'
import { dayMs } from '#core/time.ts'
import { countsOf, usageIn } from './rows.ts'
import { changes, first, type Job, query, type Row, run, type Sql } from './sql.ts'
import { isBroken, isRunning } from './turn-status.ts'

const maxRows = 20_000

/** Each door has this many slots; a turn is counted in one of them. Usage from before doors were stored is in slot 0. */
const slotsOfDoor = 16

export function createUsageStore({ sql, now }: { sql: Sql; now: () => number }): UsageStore {
  return {
    add: (user, door, call) =>
      sql.write(() => addCall({ user, slot: firstSlotOf(door), turns: 0, day: dayOf(now()) }, call)),
    list: (user, days) => sql.readLong(user ?? operator, () => listUsage(user, dayOf(now()), days)),
    totals: (user, days) => sql.readLong(user ?? operator, () => totalsOf(user, dayOf(now()) - days + 1, days)),
  }
}

function firstSlotOf(door: Door): number {
  return slotsOfDoor * doorOf(door).slot
}

function slotOf({ id, door }: Turn): number {
  return firstSlotOf(door) + Number.parseInt(id.at(-1) ?? '0', 16)
}

/** Rows without a model count the turns that asked none. The row of reservations, in slot 0, counts nothing. */
const isUsage = `(model <> '' OR slot > 0)`

/**
 * The sum of costs, null when none is known, and the number of calls that are not in it; for rows with a model. A replica of
 * the previous version writes a null cost without that number.
 */
const costSum = `sum(cost_usd) AS cost_usd,
            sum(CASE WHEN cost_usd IS NULL AND unpriced_calls = 0 THEN 1 ELSE unpriced_calls END) AS unpriced_calls`

function costIn(row: Row | undefined): CostSum {
  const [cost, unpricedCalls] = [row?.['cost_usd'] ?? null, Number(row?.['unpriced_calls'])]
  // Without any call there is nothing that could be unknown.
  if (cost === null) return { costUsd: unpricedCalls > 0 ? null : 0, unpricedCalls }
  return { costUsd: Number(cost), unpricedCalls }
}

/** The cost of a day: of one user, or of all. */
export function* costOfDay(user: UserId | undefined, now: number): Job<CostSum> {
  const [ofUser, who] = user === undefined ? ['', []] : [' AND user_id = ?', [user]]
  return costIn(yield* first(`SELECT ${costSum} FROM usage WHERE day = ? AND model <> ''${ofUser}`, dayOf(now), ...who))
}

/** The UTC day of a time, as days since 1970. */
function dayOf(ms: number): number {
  return Math.floor(ms / dayMs)
}

/**
 * Adds the model usage of a step. It must come last in its transaction: others that count into the same row wait for the
 * commit. The sixteen slots per door make that rare.
 */
export function* countUsage(turn: Turn, step: Step, now: number): Job<void> {
  const { drafts, first: begins, asked: lost, usage, outcome } = step
  const key = { user: turn.userId, slot: slotOf(turn), day: dayOf(now) }
  const calls = [...drafts, { asked: lost }].flatMap(({ asked }) => asked ?? [])
  for (const [at, call] of calls.entries()) yield* addCall({ ...key, turns: begins && at === 0 ? 1 : 0 }, call)
  if (calls.length > 0) return
  if (begins) yield* addCall({ ...key, turns: 1 }, unanswered(usage))
  else if (outcome && ended(outcome.status) && usage.model === undefined) yield* countUnasked([turn], now)
}

/** A turn whose first model call failed without output. It costs nothing, unless its price is unknown. */
function unanswered({ model = '', costUsd }: Usage): Pick<ModelCall, 'model' | 'usage'> {
  return { model, usage: { ...noUsage, costUsd: costUsd === null ? null : 0 } }
}

/** Counts turns that ended before they asked a model. The order of the rows is the same in every transaction. */
export function* countUnasked(turns: readonly Turn[], now: number): Job<void> {
  const byRow = new Map<string, UsageKey>()
  for (const turn of turns) {
    const row = { user: turn.userId, slot: slotOf(turn), day: dayOf(now) }
    const key = `${row.slot} ${row.user}`
    byRow.set(key, { ...row, turns: (byRow.get(key)?.turns ?? 0) + 1 })
  }
  for (const row of [...byRow.values()].sort((a, b) => a.slot - b.slot))
    yield* addCall(row, { model: '', usage: noUsage })
}

type UsageKey = { readonly user: UserId; readonly slot: number; readonly turns: number; readonly day: number }

function* addCall(
  { user, slot, turns, day }: UsageKey,
  { model, usage }: Pick<ModelCall, 'model' | 'usage'>,
): Job<void> {
  yield* run(
    `INSERT INTO usage (user_id, day, model, slot, turns, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost_usd,
                        unpriced_calls)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (user_id, day, model, slot) DO UPDATE SET turns = usage.turns + excluded.turns,
         input_tokens = usage.input_tokens + excluded.input_tokens,
         cached_tokens = usage.cached_tokens + excluded.cached_tokens,
         output_tokens = usage.output_tokens + excluded.output_tokens,
         reasoning_tokens = usage.reasoning_tokens + excluded.reasoning_tokens,
         cost_usd = COALESCE(usage.cost_usd + excluded.cost_usd, usage.cost_usd, excluded.cost_usd),
         unpriced_calls = usage.unpriced_calls + excluded.unpriced_calls`,
    user,
    day,
    model,
    slot,
    turns,
    ...countsOf(usage),
    usage.costUsd === null ? 1 : 0,
  )
}

type ReserveParts = { readonly usd: number; readonly cap: number; readonly now: number }

/**
 * Reserves money for a turn's next model call. Reservations of one user are serialized by a usage row without a model.
 * Spent and reserved sums are read in one statement, because a step turns reserved money into spent money.
 */
export function* reserve(turn: Turn, lease: Lease, { usd, cap, now }: ReserveParts): Job<Reservation> {
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
  const [spentUsd, heldUsd] = [Number(row?.['spent']), Number(row?.['held'])]
  if (spentUsd >= cap || spentUsd + heldUsd + usd > cap) return { granted: false, spentUsd, heldUsd }
  const reserved = yield* changes(
    `UPDATE turns SET reserved_usd = ? WHERE id = ? AND owner = ? AND epoch = ? AND status = 'running'`,
    usd,
    turn.id,
    lease.owner,
    lease.epoch,
  )
  if (reserved === 0) throw new AppError('lease_lost', `turn ${turn.id} is no longer run by this process`)
  return { granted: true, spentUsd, heldUsd }
}

/** Day by day: a year of many users has rows by the hundred thousand, and an answer of many rows blocks the event loop. */
function* listUsage(user: UserId | undefined, today: number, days: number): Job<DayUsage[]> {
  const list: DayUsage[] = []
  for (let day = today; day > today - days && list.length < maxRows; day--) {
    // With today come the days of a clock that was ahead.
    const until = day === today ? Number.MAX_SAFE_INTEGER : day
    list.push(...(yield* usageBetween(user, day, { until, limit: maxRows - list.length })))
  }
  return list
}

function* usageBetween(
  user: UserId | undefined,
  from: number,
  { until, limit }: { readonly until: number; readonly limit: number },
): Job<DayUsage[]> {
  const rows = yield* query(
    `SELECT user_id, day, model, sum(turns) AS turns, sum(input_tokens) AS input_tokens,
            sum(cached_tokens) AS cached_tokens, sum(output_tokens) AS output_tokens,
            sum(reasoning_tokens) AS reasoning_tokens, ${costSum}
     FROM usage WHERE day BETWEEN ? AND ? AND ${isUsage}${user === undefined ? '' : ' AND user_id = ?'}
     GROUP BY day, user_id, model ORDER BY day DESC, user_id DESC, model DESC LIMIT ?`,
    from,
    until,
    ...(user === undefined ? [] : [user]),
    limit,
  )
  // The index is read backwards; within a day users and models are in ascending order.
  const sortKey = ({ user: whose, model }: DayUsage): string => `${whose} ${model}`
  return rows
    .map(usageOf)
    .sort((a, b) => (a.date === b.date ? (sortKey(a) < sortKey(b) ? -1 : 1) : a.date < b.date ? 1 : -1))
}

function* totalsOf(user: UserId | undefined, from: number, days: number): Job<UsageTotals> {
  const [ofUser, who] = user === undefined ? ['', []] : [' AND user_id = ?', [user]]
  const rows = yield* query(
    `SELECT slot / ${slotsOfDoor} AS door, sum(turns) AS turns, ${costSum}
     FROM usage WHERE day >= ? AND ${isUsage}${ofUser} GROUP BY slot / ${slotsOfDoor}`,
    from,
    ...who,
  )
  const before = yield* first(
    `SELECT count(*) AS n, ${costSum} FROM usage WHERE day >= ? AND day < ? AND model <> ''${ofUser}`,
    from - days,
    from,
    ...who,
  )
  // Both conditions match the first column of an index of broken turns.
  const ownerCondition = user === undefined ? 'operator_reaches IN (0, 1)' : 'user_id = ?'
  const broken = yield* query(
    `SELECT status, count(*) AS n FROM turns WHERE ${isBroken} AND ${ownerCondition} AND id >= ? GROUP BY status`,
    ...who,
    idAt(from * dayMs),
  )
  const ended = (status: string): number => Number(broken.find((row) => row['status'] === status)?.['n'] ?? 0)
  return {
    ...(Number(before?.['n']) > 0 && { before: costIn(before) }),
    failed: ended('failed'),
    cancelled: ended('cancelled'),
    doors: rows.map((row) => {
      const door = doorOfSlot(Number(row['door']))
      return { ...(door && { door }), turns: Number(row['turns']), ...costIn(row) }
    }),
  }
}

function usageOf(row: Row): DayUsage {
  return {
    date: new Date(Number(row['day']) * dayMs).toISOString().slice(0, 10),
    user: userId(String(row['user_id'])),
    model: String(row['model']),
    turns: Number(row['turns']),
    ...usageIn(row),
    ...costIn(row),
  }
}
