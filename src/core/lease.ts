// Leases of processes, and the duties that one of all processes has.
import type { Door } from './doors.ts'

/** The process that runs a turn, and how many times it has joined. An append under an old lease is refused. */
export type Lease = { readonly owner: string; readonly epoch: number }

/** Work that only one of all processes does at a time. */
export type Duty =
  | 'vectors'
  | 'temporary threads'
  | 'thread index'
  | 'notifications'
  | 'retention'
  | 'removals'
  | `channel ${Door}`

export interface LeaseStore {
  /** Joins, or joins again after a lost lease. */
  join(owner: string): Promise<Lease>
  /** Renews the lease. False if it has expired: other processes may have taken its turns. */
  beat(lease: Lease): Promise<boolean>
  leave(lease: Lease): Promise<void>
  /** The number of live processes; 0 on SQLite, where the home's lock allows only one. */
  alive(): Promise<number>
  /**
   * True if this process has the duty for the next `forMs`; to keep it, the process takes it again in time. A process that
   * has left, or whose lease has expired, loses its duties. On SQLite the process that holds the home has every duty.
   */
  takeDuty(duty: Duty, owner: string, forMs: number): Promise<boolean>
  leaveDuty(duty: Duty, owner: string): Promise<void>
  /** The database's clock, in milliseconds; undefined on SQLite, which has that of this process. */
  databaseTime(): Promise<number | undefined>
}
