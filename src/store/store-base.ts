// What the stores of one database are made with.
import type { Seal } from '#lib/seal.ts'
import type { Sql } from './sql.ts'

export type StoreBase = {
  readonly sql: Sql
  readonly seal: Seal
  readonly now: () => number
  /** Makes the ids of turns and threads, each after the one before. */
  readonly nextId: () => string
  /** The storage quota of a user, for all that is stored; 0 means none. */
  readonly maxUserBytes?: number
  /** The most that a fork copies. */
  readonly maxForkBytes?: number | undefined
}
