// Users, with their tokens, identities and sessions, and the rules that every door shares.
import type { UserId } from './ids.ts'
import { maxUserNameChars } from './page-limits.ts'

/** Maximum lifetime of a token. */
export const maxTokenDays = 3_650

/** `operator` and `expiry` are reserved: receipts name them when the operator answered, or nobody did. */
export const userNamePattern = new RegExp(
  String.raw`^(?!(?:operator|expiry)$)[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,${maxUserNameChars - 1}}$`,
  'iu',
)
export const userNameRule = `1 to ${maxUserNameChars} letters, digits, spaces and . _ @ -, beginning with a letter or digit, and not operator or expiry`

export type User = { readonly id: UserId; readonly name: string; readonly createdAt: number }

/**
 * `expiresAt` is when the user's last token expires; `issuer` is the identity provider they sign in with; `seenAt` is their
 * last message, or the last use of a session that is still open.
 */
export type ListedUser = User & {
  readonly tokens: number
  readonly expiresAt?: number
  readonly issuer?: string
  readonly seenAt?: number
}

/** A token as it can be shown: its `id` reveals nothing of the secret. */
export type Token = { readonly id: string; readonly createdAt: number } & Omit<NewToken, 'hash'>

/** The name of a tool that a token may use. */
export const tokenToolPattern = /^[A-Za-z0-9_-]{1,64}$/

/** `tools` are the service's tools that turns begun with the token may use, by name; all where it is absent. */
export type NewToken = { readonly hash: string; readonly expiresAt?: number; readonly tools?: readonly string[] }

/** Counts of what the removal of a user erased. */
export type Erased = {
  readonly threads: number
  readonly turns: number
  readonly items: number
  readonly documents: number
  readonly grants: number
  readonly secrets: number
  readonly skills: number
  /** In the workspace. */
  readonly files: number
}

/** A removal of a user: `at` is when it began. */
export type Removal = { readonly user: UserId; readonly at: number }

export interface AccountStore {
  /** Creates a user with a first token; only its hash is stored. Throws invalid_input when the name is taken. */
  addUser(name: string, token: NewToken): Promise<User>
  /** Throws not_found when no user has this name, and invalid_input while the user is being removed. */
  addToken(name: string, token: NewToken): Promise<User>
  listUsers(): Promise<readonly ListedUser[]>
  /** The user's tokens that have not expired, newest first; undefined when no user has this name. */
  listTokens(name: string): Promise<readonly Token[] | undefined>
  /** Removes a token and the sessions opened with it; returns its user, or undefined when there is no such token. */
  removeToken(name: string, id: string): Promise<User | undefined>
  /**
   * Begins a removal, which `removals` lists from then on. Removes all tokens and sessions of the user: no new request is
   * accepted. Undefined when no user has this name.
   */
  shutOut(name: string): Promise<User | undefined>
  /** Removes a user whose threads were erased before (`removeUser` in turns). */
  removeUser(user: UserId): Promise<Pick<Erased, 'grants' | 'secrets'>>
  /** Removals that were begun and not forgotten, oldest user first: a page of those after a user. */
  removals(after?: UserId): Promise<readonly Removal[]>
  forgetRemoval(user: UserId): Promise<void>
  findByToken(hash: string, now: number): Promise<(User & Pick<NewToken, 'tools'>) | undefined>
}

/** A person's identity at an OpenID issuer. */
export type Identity = { readonly issuer: string; readonly subject: string }

export interface IdentityStore {
  find(identity: Identity): Promise<User | undefined>
  /** False once the user was removed, or shut out before that. */
  has(user: UserId): Promise<boolean>
  /** The user of an identity. If there is none, creates one under the first of these names that is free. */
  enrol(identity: Identity, names: readonly string[]): Promise<User>
  /** Records the start of a sign-in. `state` and `browser` are hashes. */
  begin(signIn: { readonly state: string; readonly browser: string; readonly endsAt: number }): Promise<void>
  /** Consumes a sign-in: it can be taken once. */
  take(state: string): Promise<{ readonly browser: string } | undefined>
}

/** A browser session; `hash` is the hash of its cookie's value. */
export type NewSession = {
  readonly hash: string
  readonly user: UserId
  /** The hash of the token that opened it; the session ends with the token. Absent when it was opened without one. */
  readonly token?: string
  readonly endsAt: number
}

export type Session = Omit<NewSession, 'hash'> & {
  readonly name: string
  readonly seenAt: number
  /** Those of the token that opened it. */
  readonly tools?: readonly string[]
}

/** The time that a one-time code has left. */
export type CodeTime = { readonly minMs: number; readonly maxMs: number }

export interface SessionStore {
  open(session: NewSession): Promise<void>
  /** An open session that was used within the last `idleMs`, whose user and token still exist. */
  find(hash: string, idleMs: number): Promise<Session | undefined>
  /** Records a use. */
  touch(hash: string): Promise<void>
  close(hash: string): Promise<void>
  closeAll(user: UserId): Promise<void>
  /** Stores a code that opens one operator session, bound to the hash of an operator token. */
  addCode(code: { hash: string; token: string; endsAt: number }): Promise<void>
  /** True for a code that has this much time left. */
  hasCode(hash: string, left: CodeTime): Promise<boolean>
  /**
   * Consumes a code that is given `maxMs`; undefined when it does not exist or has expired. Of two concurrent calls only
   * one gets it.
   */
  takeCode(hash: string, maxMs: number): Promise<{ token: string } | undefined>
}
