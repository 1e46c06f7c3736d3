// Sessions of the browser: a token or a one-time code is exchanged for a cookie, and the cookie tells who comes.
import type { UserId } from '#core/ids.ts'
import { operator } from '#core/ids.ts'
import type { Session, SessionStore } from '#core/account.ts'
import type { Log } from '#lib/log.ts'
import { hashToken, newCode, newToken } from '#lib/token.ts'
import type { Caller } from './caller.ts'

const minuteMs = 60_000
/** A session that is not used for this long ends. */
const idleMs = 12 * 60 * minuteMs
/** However much it is used, it ends after this. */
export const maxMs = 30 * 24 * 60 * minuteMs
/** How long a sign-in may take at an issuer. */
export const signInMs = 10 * minuteMs
/** That a session is in use is written no more often than this. */
const touchMs = 5 * minuteMs
/** How long the code of a link is good. */
const codeMs = 10 * minuteMs

export type SessionParts = {
  readonly store: SessionStore
  /** Hashes of the operator's tokens of now: a session of the operator's ends with the token it was opened with. */
  readonly operatorHashes: readonly string[]
  readonly now?: () => number
  readonly log: Log
}

export interface Sessions {
  /**
   * A new session; what is returned is known to its cookie alone. It ends with its token: one of ours by its hash, an
   * issuer's by its time.
   */
  open(user: UserId, token?: string, until?: number): Promise<string>
  /**
   * Who the holder of a cookie is. Looked up each time, so that one that was closed is refused at once; `used` keeps it
   * from lying idle.
   */
  find(cookie: string, used?: boolean): Promise<Caller | undefined>
  close(cookie: string): Promise<void>
  closeAll(user: UserId): Promise<void>
  /** A code that signs the operator in, once and soon; the session is bound to the lasting operator token. */
  makeCode(): Promise<string>
  /** The session that a code opens; undefined when it is none, or no longer. */
  redeem(code: string): Promise<string | undefined>
}

/** The last of the operator's tokens is the lasting one. */
export function createSessions({ store, operatorHashes, now = Date.now, log }: SessionParts): Sessions {
  async function open(user: UserId, token?: string, until = Number.POSITIVE_INFINITY): Promise<string> {
    const cookie = newToken()
    const endsAt = Math.min(now() + maxMs, until)
    await store.open({ hash: hashToken(cookie), user, endsAt, ...(token !== undefined && { token }) })
    return cookie
  }

  /** When it was used last, as far as that is written. */
  async function use(hash: string, { seenAt }: Session): Promise<number> {
    if (now() - seenAt < touchMs) return seenAt
    try {
      await store.touch(hash)
      return now()
    } catch (error) {
      // It stays good for hours yet: no reason to refuse what can be read.
      log.warn({ err: error }, 'the use of a session could not be noted')
      return seenAt
    }
  }

  return {
    open,
    async find(cookie, used = true) {
      const hash = hashToken(cookie)
      const session = await store.find(hash, idleMs)
      if (!session) return undefined
      const { user, name, token, endsAt } = session
      if (user === operator && token !== undefined && !operatorHashes.includes(token)) return undefined
      const idleAt = (used ? await use(hash, session) : session.seenAt) + idleMs
      return { user, name, operator: user === operator, session: { cookie, endsAt: Math.min(endsAt, idleAt) } }
    },
    close: (cookie) => store.close(hashToken(cookie)),
    closeAll: (user) => store.closeAll(user),
    async makeCode() {
      const code = newCode()
      await store.addCode({ hash: hashToken(code), token: operatorHashes.at(-1) ?? '', endsAt: now() + codeMs })
      return code
    },
    async redeem(code) {
      const taken = await store.takeCode(hashToken(code))
      return taken && operatorHashes.includes(taken.token) ? open(operator, taken.token) : undefined
    },
  }
}
