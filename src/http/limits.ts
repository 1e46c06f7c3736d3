// The chat rate limit: sends per user in any 60 seconds, over all routes that send.
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
      const retryAfterSecs = Math.max(1, Math.ceil(retryAfterMs / 1000))
      throw new AppError(
        'rate_limited',
        `at most ${perMinute} messages are taken in 60 seconds: try again in ${retryAfterSecs} s`,
        { retryAfterSecs },
      )
    },
  }
}
