// Secrets where they are kept: whose each is, what it stands for, and what renews it.
import type { UserId } from './ids.ts'

/** What renews a secret, and when it must be. Both are the word of a sign-in's server. */
export type Renewal = { readonly token?: string; readonly expiresAt?: number }

/** A secret where it stands: one that is another's is told under the other's name. */
export type Secret = {
  readonly name: string
  readonly owner: UserId
  readonly value: string
  /** Its sign-in is over: the value is empty, and its owner is asked for another. */
  readonly ended?: true
  readonly renewal?: Renewal
  readonly updatedAt: number
}

/** What came of renewing a secret: another one, nothing for now, or that it never will be. */
export type RenewalOutcome =
  | { readonly type: 'renewed'; readonly value: string; readonly renewal: Renewal }
  | { readonly type: 'failed' }
  | { readonly type: 'ended' }

/** Each secret is somebody's, the operator's where nobody else is said. Values are sealed before they reach the database. */
export interface SecretStore {
  set(name: string, value: string, more?: { owner?: UserId; renewal?: Renewal }): Promise<void>
  /**
   * Makes a name stand for another secret of the same owner, until that one or the share is removed; so does whatever stood
   * for this one. Throws invalid_input when the other is itself another's.
   */
  share(name: string, sameAs: string, owner: UserId): Promise<void>
  get(name: string, owner?: UserId): Promise<string | undefined>
  find(name: string, owner: UserId): Promise<Secret | undefined>
  list(owner?: UserId): Promise<readonly { name: string; updatedAt: number; sameAs?: string }[]>
  /** Every value of everybody or of one, what renews them too: nothing of it may ever be shown. */
  values(owner?: UserId): Promise<readonly { readonly owner: UserId; readonly value: string }[]>
  remove(name: string, owner?: UserId): Promise<boolean>
  /** Removes every secret whose name begins so, of everybody, and what was shared of them. */
  removeBelow(prefix: string): Promise<void>
  /** Takes the renewal of a secret up to a time; false when somebody else has it, or the secret is another by now. */
  claimRenewal(secret: Pick<Secret, 'name' | 'owner' | 'updatedAt'>, until: number): Promise<boolean>
  /** Ends it; a secret that was set anew meanwhile stays as it is. */
  endRenewal(secret: Pick<Secret, 'name' | 'owner' | 'updatedAt'>, outcome: RenewalOutcome): Promise<void>
  /** Seals every secret anew, all or none; tells how many. */
  reseal(to: { seal(name: string, value: string): string }): Promise<number>
}
