// What users have allowed beyond one call, and where it is kept.
import type { UserId } from './ids.ts'

/** What a user has allowed beyond one call: a tool, or a tool with a target, up to a time or for good. */
export type NewGrant = {
  readonly tool: string
  readonly target?: string
  readonly until?: number
  /** It stands only while the model has read nothing from outside. */
  readonly clean?: true
}
export type Grant = NewGrant & {
  readonly id: string
  readonly userId: UserId
  /** The name of whoever allowed it. */
  readonly by: string
  readonly createdAt: number
  /** Calls that ran by it. */
  readonly uses: number
}

export interface GrantStore {
  /** Those that have not ended and that the user reaches, oldest first: the operator's reach includes the channel's. */
  list(user: UserId): Promise<readonly Grant[]>
  /** A call runs by it now. */
  used(id: string): Promise<void>
  /** Takes one back; tells whose it was, undefined when the user reaches no such grant. */
  remove(user: UserId, id: string): Promise<UserId | undefined>
}
