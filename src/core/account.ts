// Users, the tokens, identities and sessions by which they are known, and the rules for them, the same at every door.
import type { UserId } from './ids.ts'

export const dayMs = 86_400_000
/** How far off the end of a token may be. */
export const maxTokenDays = 3_650

/** Receipts tell by these two names that the operator answered, and that nobody did. */
export const userNamePattern = /^(?!(?:operator|expiry)$)[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/iu
/** The pattern in words. */
export const userNameRule =
  '1 to 64 letters, digits, spaces and . _ @ -, beginning with a letter or digit, and not operator or expiry'

export type User = { readonly id: UserId; readonly name: string; readonly createdAt: number }

/** `expiresAt` is the end of the last of their tokens; `issuer` vouches for them; `seenAt` is their last message or the last use of a session that has not ended. */
export type ListedUser = User & {
  readonly tokens: number
  readonly expiresAt?: number
  readonly issuer?: string
  readonly seenAt?: number
}

/** A token as it can be shown: `id` names it, and says nothing about it. */
export type Token = { readonly id: string; readonly createdAt: number; readonly expiresAt?: number }

/** How much a removal has erased. */
export type Erased = {
  readonly threads: number
  readonly turns: number
  readonly items: number
  readonly documents: number
  readonly grants: number
  readonly secrets: number
  /** Of the workspace. */
  readonly files: number
}

export interface AccountStore {
  /** Makes a user with a first token; only the hash is kept. Throws invalid_input when the name is taken. */
  addUser(name: string, token: { hash: string; expiresAt?: number }): Promise<User>
  addToken(name: string, token: { hash: string; expiresAt?: number }): Promise<User>
  listUsers(): Promise<readonly ListedUser[]>
  /** The tokens of a user that have not expired, newest first; undefined when nobody has this name. */
  listTokens(name: string): Promise<readonly Token[] | undefined>
  /** Takes one token away, with the sessions that it opened; its user, or undefined when there is none such. */
  removeToken(name: string, id: string): Promise<User | undefined>
  /** Takes every token and session from a user, so that nothing new of theirs comes in; undefined when nobody has this name. */
  shutOut(name: string): Promise<User | undefined>
  /** Removes the user, whose threads were erased before: see `removeUser` in turns. Undefined when nobody has this name. */
  removeUser(name: string): Promise<Pick<Erased, 'grants' | 'secrets'> | undefined>
  findByToken(hash: string, now: number): Promise<User | undefined>
}

/** Who somebody is at an issuer. */
export type Identity = { readonly issuer: string; readonly subject: string }

export interface IdentityStore {
  find(identity: Identity): Promise<User | undefined>
  /** The user of an identity; where there is none yet one is made, under the first of these names that is free. */
  enrol(identity: Identity, names: readonly string[]): Promise<User>
  /** A sign-in begins; of its state and of what ties it to a browser only the hashes are kept. */
  begin(signIn: { readonly state: string; readonly browser: string; readonly endsAt: number }): Promise<void>
  /** Takes a sign-in, once. */
  take(state: string): Promise<{ readonly browser: string } | undefined>
}

/** A session of a browser, by the hash of what its cookie holds. */
export type NewSession = {
  readonly hash: string
  readonly user: UserId
  /** The hash of the token it was opened with: it ends with it. Absent where there was none. */
  readonly token?: string
  readonly endsAt: number
}

export type Session = Omit<NewSession, 'hash'> & { readonly name: string; readonly seenAt: number }

export interface SessionStore {
  open(session: NewSession): Promise<void>
  /** One that has not ended and was used within the last `idleMs`; its user, and the user's token, must still be there. */
  find(hash: string, idleMs: number): Promise<Session | undefined>
  /** It was used now. */
  touch(hash: string): Promise<void>
  close(hash: string): Promise<void>
  closeAll(user: UserId): Promise<void>
  /** Keeps a code that opens one session of the operator's, bound to the hash of an operator token. */
  addCode(code: { hash: string; token: string; endsAt: number }): Promise<void>
  /** Takes a code away; undefined when there is none, or its time is over. Of two who ask at once one gets it. */
  takeCode(hash: string): Promise<{ token: string } | undefined>
}
