// Grants: approvals that cover more than one call.
import type { UserId } from './ids.ts'

export type NewGrant = {
  readonly tool: string
  /** A host, a folder, a file, a command or its first word; without one the grant covers every call of the tool. */
  readonly target?: string
  /** When it expires, in ms since the epoch; without it the grant never expires. */
  readonly until?: number
  /** Valid only while the model has read no outside text. */
  readonly clean?: true
}
export type Grant = NewGrant & {
  readonly id: string
  readonly userId: UserId
  /** The name of the person who gave it. */
  readonly by: string
  readonly createdAt: number
  /** Calls that it has allowed. */
  readonly uses: number
}

export interface GrantStore {
  /** Valid grants that the user has access to, oldest first. The operator also has access to those of door senders. */
  list(user: UserId): Promise<readonly Grant[]>
  /** Counts a call that it allows. */
  used(id: string): Promise<void>
  /** Revokes a grant; returns its user, or undefined when the user has access to no such grant. */
  remove(user: UserId, id: string): Promise<UserId | undefined>
}
