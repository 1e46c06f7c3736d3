// What comes too often: the chat rate limit (sends per user in any 60 seconds, over all routes that send), and how any
// such limit refuses.
import { AppError } from '#core/errors.ts'
import type { LimitStore } from '#core/store.ts'
import type { ChatLimit } from './caller.ts'

const windowMs = 60_000

export type ChatLimitParts = {
  readonly limits: LimitStore
  /** 0 is no limit. */
  readonly perMinute: number
  readonly now?: () => number
}

/** Operator tokens are one user, as they are everywhere. */
export function createChatLimit({ limits, perMinute, now = Date.now }: ChatLimitParts): ChatLimit {
  return {
    async take({ user }) {
      if (perMinute === 0) return
      const { allowed, retryAfterMs } = await limits.take(`chat:${user}`, perMinute, windowMs, now())
      if (allowed) return
      throw tooOften(`at most ${perMinute} messages are taken in 60 seconds`, retryAfterMs)
    },
  }
}

/** A refusal for a while; what is said of it ends without a full stop. */
export function tooOften(what: string, retryAfterMs: number): AppError {
  const retryAfterSecs = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new AppError('rate_limited', `${what}: try again in ${retryAfterSecs} s`, { retryAfterSecs })
}
