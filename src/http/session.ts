// Browser sessions: a token or a one-time code is exchanged for a cookie that authenticates its holder.
import { operator, type UserId } from '#core/ids.ts'
import type { Session, SessionStore } from '#core/account.ts'
import type { Log } from '#lib/log.ts'
import { dayMs, hourMs, minuteMs } from '#core/time.ts'
import { hashToken, newCode, newToken } from '#lib/token.ts'
import type { Caller } from './caller.ts'

/** A session ends when it is not used for this long. */
const maxIdleMs = 12 * hourMs
/** A session ends after this even when it is used. */
export const maxSessionMs = 30 * dayMs
/** How long a sign-in at an issuer may take. */
export const maxSignInMs = 10 * minuteMs
/** Minimum time between two writes of a session's last use. */
const touchIntervalMs = 5 * minuteMs
/** How long a one-time code is valid. */
const codeLifetimeMs = 10 * minuteMs
/** A code with less time left is not shown any more. */
const minCodeMs = minuteMs

export type SessionParts = {
  readonly store: SessionStore
  /** Hashes of the current operator tokens. An operator session ends with the token that opened it. */
  readonly operatorHashes: readonly string[]
  readonly now?: () => number
  readonly log: Log
}

export interface Sessions {
  /**
   * Opens a session and returns its cookie; only a hash is stored. The session ends with the token that opened it: a
   * token of this service is named by its hash (`token`), a JWT by its expiry (`until`).
   */
  open(user: UserId, token?: string, until?: number): Promise<string>
  /**
   * The caller that a cookie authenticates. Looked up each time, so that a closed session is refused at once. `used`
   * counts as a use of the session.
   */
  find(cookie: string, used?: boolean): Promise<Caller | undefined>
  close(cookie: string): Promise<void>
  closeAll(user: UserId): Promise<void>
  /** A one-time code that signs the operator in. Its session is bound to the permanent operator token. */
  makeCode(): Promise<string>
  /** True for a code that still works, with some time left to use it. */
  isOpenCode(code: string): Promise<boolean>
  /** Opens a session with a code and returns its cookie. Undefined when the code is unknown, used or expired. */
  redeem(code: string): Promise<string | undefined>
}

/** The last of `operatorHashes` is the permanent token. */
export function createSessions({ store, operatorHashes, now = Date.now, log }: SessionParts): Sessions {
  async function open(user: UserId, token?: string, until = Number.POSITIVE_INFINITY): Promise<string> {
    const cookie = newToken()
    const endsAt = Math.min(now() + maxSessionMs, until)
    await store.open({ hash: hashToken(cookie), user, endsAt, ...(token !== undefined && { token }) })
    return cookie
  }

  /** Records the use of a session and returns the stored time of its last use. */
  async function touch(hash: string, { seenAt }: Session): Promise<number> {
    if (now() - seenAt < touchIntervalMs) return seenAt
    try {
      await store.touch(hash)
      return now()
    } catch (error) {
      // The session stays valid for hours, so a failed write is no reason to refuse the request.
      log.warn({ err: error }, 'could not record the use of a session')
      return seenAt
    }
  }

  return {
    open,
    async find(cookie, used = true) {
      const hash = hashToken(cookie)
      const session = await store.find(hash, maxIdleMs)
      if (!session) return undefined
      const { user, name, token, endsAt, tools } = session
      if (user === operator && token !== undefined && !operatorHashes.includes(token)) return undefined
      const idleAt = (used ? await touch(hash, session) : session.seenAt) + maxIdleMs
      const caller = { user, name, operator: user === operator, ...(tools && { allowedTools: tools }) }
      return { ...caller, session: { cookie, endsAt: Math.min(endsAt, idleAt) } }
    },
    close: (cookie) => store.close(hashToken(cookie)),
    closeAll: (user) => store.closeAll(user),
    async makeCode() {
      const code = newCode()
      await store.addCode({ hash: hashToken(code), token: operatorHashes.at(-1) ?? '', endsAt: now() + codeLifetimeMs })
      return code
    },
    isOpenCode: (code) => store.hasCode(hashToken(code), { minMs: minCodeMs, maxMs: codeLifetimeMs }),
    async redeem(code) {
      const taken = await store.takeCode(hashToken(code), codeLifetimeMs)
      return taken && operatorHashes.includes(taken.token) ? open(operator, taken.token) : undefined
    },
  }
}
