// What one caller may hold of the service: answers that nobody reads, and requests in flight.
import type { ServerResponse } from 'node:http'
import { AppError } from '#core/errors.ts'
import type { Caller } from './caller.ts'
import { createQuota } from './quota.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Gives up the place among its user's answers: what follows is a stream, which is bounded by itself. */
    letOthers?: () => void
  }
}

/** An answer that lies unread for this long is dropped with its connection. */
export const unreadMs = 60_000

/**
 * Drops an answer that nobody reads. A socket that times out looks whether something has left its buffer since it looked
 * last, and waits once more if so: a slow reader is no dead one, and it takes two looks to tell.
 */
export function dropUnread(answer: ServerResponse, withinMs: number): void {
  answer.setTimeout(withinMs / 2)
}

/** Messages of one user under way at once: each waits for a turn, and costs little while it does. */
const defaultSends = 5_000
/** Other requests of one user under way at once: each may hold a page of answers. */
const maxReads = 64
const comeBackSecs = 1
/** Answers to one user's GETs that are made and sent at once: each may hold megabytes until it is read. The others wait. */
const maxAnswers = 4
export const placeMs = 10_000

export interface Flights {
  /**
   * Waits for a place among the answers of a user, which is free again once the answer was sent, or the returned function
   * is called. Throws rate_limited when none becomes free: the answers before this one lie unread.
   */
  place(caller: Caller, answer: ServerResponse): Promise<() => void>
  /** Counts a request until its answer is through, or its connection gone. Throws rate_limited when there are too many. */
  begin(caller: Caller, sends: boolean, answer: ServerResponse): void
}

export function createFlights(waitMs: number, maxSends = defaultSends): Flights {
  const open = new Map<string, number>()
  const places = createQuota(maxAnswers, waitMs)

  return {
    async place({ user }, answer) {
      const free = await places.take(user, 1, answer)
      if (!free) throw unread()
      answer.once('finish', free)
      answer.once('close', free)
      if (answer.destroyed) free()
      return free
    },
    begin({ user }, sends, answer) {
      const key = `${sends ? 'send' : 'read'}:${user}`
      const most = sends ? maxSends : maxReads
      const before = open.get(key) ?? 0
      if (before >= most) {
        const message = `${most} requests of yours are under way already: read their answers, then try again`
        throw new AppError('rate_limited', message, { retryAfterSecs: comeBackSecs })
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

function unread(): AppError {
  const message = `${maxAnswers} answers to you lie unread: read them, then try again`
  return new AppError('rate_limited', message, { retryAfterSecs: comeBackSecs })
}
