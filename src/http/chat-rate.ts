// Rates in any 60 seconds, counted in the store: the chat rate, of messages per user over all routes that send one, and others.
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
  const reason = `at most ${perMinute} messages are accepted in 60 seconds`
  return { take: ({ user }) => takeRate(limits, { key: `${name}:${user}`, perMinute, now: now() }, reason) }
}

type Rate = { readonly key: string; readonly perMinute: number; readonly now: number }

/** Counts one use of a key; with 0 per minute there is no limit. Throws rate_limited with the reason. */
export async function takeRate(limits: LimitStore, { key, perMinute, now }: Rate, reason: string): Promise<void> {
  if (perMinute === 0) return
  const { allowed, retryAfterMs } = await limits.take(key, perMinute, windowMs, now)
  if (!allowed) throw rateLimited(reason, retryAfterMs)
}

/** The time to retry after is appended to `reason`, which has no full stop. */
export function rateLimited(reason: string, retryAfterMs: number): AppError {
  const retryAfterSecs = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return new AppError('rate_limited', `${reason}: try again in ${retryAfterSecs} s`, { retryAfterSecs })
}
