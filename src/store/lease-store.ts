// Leases and duties of the processes on one database, by the database's clock. On SQLite the home's lock replaces them.
import type { Lease, LeaseStore } from '#core/lease.ts'
import { dayMs } from '#core/time.ts'
import { changes, first, run, type Sql } from './sql.ts'

/** A process that has not renewed its lease for this long loses its turns. */
export const leaseMs = 12_000
const forgetMs = dayMs

/** SQL for the milliseconds of PostgreSQL's clock. */
export const databaseClock = '(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT'

/** After that clock was set back: else a process that is gone would keep its lease until the clock is where it was. */
export const endFutureLeases = `UPDATE processes SET seen_at = ${databaseClock} WHERE seen_at > ${databaseClock}`

export function createLeaseStore({ sql }: { sql: Sql }): LeaseStore {
  if (sql.backend === 'sqlite') return homeLeases()
  return {
    join: (owner) =>
      sql.write(function* () {
        yield* run(`DELETE FROM processes WHERE seen_at < ${databaseClock} - ?`, forgetMs)
        const row = yield* first(
          `INSERT INTO processes (owner, epoch, seen_at) VALUES (?, 1, ${databaseClock})
           ON CONFLICT (owner) DO UPDATE SET epoch = processes.epoch + 1, seen_at = excluded.seen_at RETURNING epoch`,
          owner,
        )
        return { owner, epoch: Number(row?.['epoch']) }
      }),
    beat: ({ owner, epoch }) =>
      sql.write(function* () {
        yield* run(endFutureLeases)
        const beaten = yield* changes(
          `UPDATE processes SET seen_at = ${databaseClock}
           WHERE owner = ? AND epoch = ? AND seen_at > ${databaseClock} - ?`,
          owner,
          epoch,
          leaseMs,
        )
        return beaten > 0
      }),
    leave: ({ owner }) =>
      sql.write(function* () {
        yield* run('DELETE FROM processes WHERE owner = ?', owner)
      }),
    alive: () =>
      sql.write(function* () {
        yield* run(endFutureLeases)
        const row = yield* first(
          `SELECT count(*) AS count FROM processes WHERE seen_at > ${databaseClock} - ?`,
          leaseMs,
        )
        return Number(row?.['count'])
      }),
    takeDuty: (duty, owner, forMs) =>
      sql.write(function* () {
        const row = yield* first(
          `INSERT INTO duties (name, owner, until) VALUES (?, ?, ${databaseClock} + ?)
           ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until
           WHERE duties.owner = excluded.owner OR duties.until < ${databaseClock} OR NOT EXISTS (
             SELECT 1 FROM processes p WHERE p.owner = duties.owner AND p.seen_at > ${databaseClock} - ?)
           RETURNING owner`,
          duty,
          owner,
          forMs,
          leaseMs,
        )
        return row !== undefined
      }),
    leaveDuty: (duty, owner) => sql.write(() => run('DELETE FROM duties WHERE name = ? AND owner = ?', duty, owner)),
    databaseTime: () =>
      sql.read(function* () {
        return Number((yield* first(`SELECT ${databaseClock} AS now`))?.['now'])
      }),
  }
}

/** The process that holds the home is the only one: its lease lasts as long as the process. */
function homeLeases(): LeaseStore {
  return {
    join: (owner): Promise<Lease> => Promise.resolve({ owner, epoch: 1 }),
    beat: () => Promise.resolve(true),
    leave: () => Promise.resolve(),
    alive: () => Promise.resolve(0),
    takeDuty: () => Promise.resolve(true),
    leaveDuty: () => Promise.resolve(),
    databaseTime: () => Promise.resolve(undefined),
  }
}
