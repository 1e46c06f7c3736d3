// The chat rate limit: messages per user in any 60 seconds, over all routes that send one.
import { AppError } from '#core/errors.ts'
import type { LimitStore } from '#core/store.ts'
import type { ChatLimit } from './caller.ts'

const windowMs = 60_000

export type ChatLimitParts = {
  readonly limits: LimitStore
  /** 0 means no limit. */
  readonly perMinute: number
  /** Each name is a rate of its own. */
  readonly name?: string
  readonly now?: () => number
}

/** All operator tokens count as one user. */
export function createChatLimit({ limits, perMinute, name = 'chat', now = Date.now }: ChatLimitParts): ChatLimit {
  return {
    async take({ user }) {
      if (perMinute === 0) return
      const { allowed, retryAfterMs } = await limits.take(`${name}:${user}`, perMinute, windowMs, now())
      if (allowed) return
      throw rateLimited(`at most ${perMinute} messages are accepted in 60 seconds`, retryAfterMs)
    },
  }
}

/** The time to retry after is appended to `reason`, which has no full stop. */
export function rateLimited(reason: string, retryAfterMs: number): AppError {
  const retryAfterSecs = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new AppError('rate_limited', `${reason}: try again in ${retryAfterSecs} s`, { retryAfterSecs })
}
