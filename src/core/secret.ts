// Stored secrets: owners, shares and renewal.
import type { UserId } from './ids.ts'
import { isProviderKey } from './providers.ts'

/** The token of the Telegram bot. */
export const telegramSecret = 'telegram.token'
/** The key of an embedding model's server, sealed or in the environment. */
export const embeddingSecret = 'EMBEDDING_API_KEY'

/** True for a secret that the service itself uses: it goes nowhere else. */
export function isServiceSecret(name: string): boolean {
  return name === telegramSecret || name === embeddingSecret || isProviderKey(name)
}

/** The first of some names that has a value. */
export async function firstSecret(
  names: readonly string[],
  valueOf: (name: string) => Promise<string | undefined>,
): Promise<{ readonly name: string; readonly value: string } | undefined> {
  for (const name of names) {
    const value = await valueOf(name)
    if (value) return { name, value }
  }
  return undefined
}

/** The refresh token of a secret, and when the secret expires, as the sign-in's server reported them. */
export type Renewal = { readonly token?: string; readonly expiresAt?: number }

/** A stored secret. A shared one appears under the name of the secret that it refers to. */
export type Secret = {
  readonly name: string
  readonly owner: UserId
  readonly value: string
  /** Its sign-in has ended, or it was sealed under another key: the value is empty, and the owner must set it again. */
  readonly ended?: true
  readonly renewal?: Renewal
  readonly updatedAt: number
}

/** The outcome of a renewal. `failed` is tried again later, `ended` never. */
export type RenewalOutcome =
  | { readonly type: 'renewed'; readonly value: string; readonly renewal: Renewal }
  | { readonly type: 'failed' }
  | { readonly type: 'ended' }

export type NewSecret = Pick<Secret, 'name' | 'value' | 'renewal'>

/** Each secret has an owner, by default the operator. Values are sealed before they reach the database. */
export interface SecretStore {
  set(name: string, value: string, more?: { owner?: UserId; renewal?: Renewal }): Promise<void>
  /** Sets secrets of one owner that belong together: all or none. */
  setTogether(secrets: readonly NewSecret[], owner: UserId): Promise<void>
  /**
   * Makes a name refer to another secret of the same owner, until that secret or the share is removed. Names that
   * referred to this one follow. Throws invalid_input when `sameAs` is itself a share.
   */
  share(name: string, sameAs: string, owner: UserId): Promise<void>
  get(name: string, owner?: UserId): Promise<string | undefined>
  find(name: string, owner: UserId): Promise<Secret | undefined>
  list(owner?: UserId): Promise<readonly { name: string; updatedAt: number; sameAs?: string }[]>
  /** All values, refresh tokens included, of one owner or of everybody: for masking. They must never be shown. */
  values(owner?: UserId): Promise<readonly { readonly owner: UserId; readonly value: string }[]>
  /** Secrets that were sealed under another key, of everybody. They are as if they were not set. */
  unopenable(): Promise<readonly { readonly name: string; readonly owner: UserId }[]>
  remove(name: string, owner?: UserId): Promise<boolean>
  /** Removes every secret whose name starts with `prefix`, of all owners, and the shares of them. */
  removeBelow(prefix: string): Promise<void>
  /**
   * Claims the renewal of a secret for a time, by the database's clock; false when another process has it, or the secret has
   * changed.
   */
  claimRenewal(secret: Pick<Secret, 'name' | 'owner' | 'updatedAt'>, forMs: number): Promise<boolean>
  /** Ends a renewal. A secret that was set meanwhile stays as it is. */
  endRenewal(secret: Pick<Secret, 'name' | 'owner' | 'updatedAt'>, outcome: RenewalOutcome): Promise<void>
  /** Seals every secret again, all or none; returns how many. */
  reseal(to: { seal(name: string, value: string): string }): Promise<number>
}
