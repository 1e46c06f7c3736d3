// Limits per user on requests in flight and on answers that are not being read.
import type { ServerResponse } from 'node:http'
import { AppError } from '#core/errors.ts'
import type { Caller } from './caller.ts'
import { createQuota } from './quota.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Releases the answer slot early. Called for streams, which have limits of their own. */
    releaseAnswerSlot?: () => void
  }
}

/** An answer of which nothing is read for this long is dropped with its connection. */
export const unreadMs = 60_000

/**
 * Drops an answer of which nothing is read for `withinMs`. On a timeout the socket checks whether data has left its
 * buffer since the last check, and waits again if so: it takes two checks to tell a dead reader from a slow one.
 */
export function dropUnreadAnswer(answer: ServerResponse, withinMs: number): void {
  answer.setTimeout(withinMs / 2)
}

/** Concurrent message sends per user. Each waits for a turn and costs little meanwhile. */
const defaultMaxSends = 5_000
/** Other concurrent requests per user. Each may hold a page of results. */
const maxReads = 64
const retryAfterSecs = 1
/** Concurrent answers to the GETs of one user. Each may hold megabytes until it is read. Further requests wait. */
const maxAnswers = 4

export interface InFlight {
  /**
   * Waits for one of the user's answer slots. It is released once the answer was sent, or by the returned function.
   * Throws rate_limited when none becomes free, because earlier answers are not read.
   */
  takeAnswerSlot(caller: Caller, answer: ServerResponse): Promise<() => void>
  /** Counts a request until its answer or its connection has ended. Throws rate_limited when there are too many. */
  begin(caller: Caller, sends: boolean, answer: ServerResponse): void
}

export function createInFlight(waitMs: number, maxSends = defaultMaxSends): InFlight {
  const open = new Map<string, number>()
  const slots = createQuota(maxAnswers, waitMs)

  return {
    async takeAnswerSlot({ user }, answer) {
      const release = await slots.take(user, 1, answer)
      if (!release) throw tooManyUnread()
      answer.once('finish', release)
      answer.once('close', release)
      if (answer.destroyed) release()
      return release
    },
    begin({ user }, sends, answer) {
      const key = `${sends ? 'send' : 'read'}:${user}`
      const max = sends ? maxSends : maxReads
      const before = open.get(key) ?? 0
      if (before >= max) {
        const message = `you already have ${max} requests in progress: read their answers, then try again`
        throw new AppError('rate_limited', message, { retryAfterSecs })
      }
      open.set(key, before + 1)
      answer.once('close', () => {
        const left = (open.get(key) ?? 1) - 1
        if (left > 0) open.set(key, left)
        else open.delete(key)
      })
    },
  }
}

function tooManyUnread(): AppError {
  const message = `you have not read ${maxAnswers} earlier answers: read them, then try again`
  return new AppError('rate_limited', message, { retryAfterSecs })
}
