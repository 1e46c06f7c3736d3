// What one caller may hold of the service: answers that nobody reads, and requests in flight.
import type { ServerResponse } from 'node:http'
import { AppError } from '#core/errors.ts'
import type { Caller } from './caller.ts'

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
const mostSends = 1_000
/** Other requests of one user under way at once: each may hold a page of answers. */
const mostReads = 64
const comeBackSecs = 1

export interface Flights {
  /** Counts a request until its answer is through, or its connection gone. Throws rate_limited when there are too many. */
  begin(caller: Caller, sends: boolean, answer: ServerResponse): void
}

export function createFlights(): Flights {
  const open = new Map<string, number>()
  return {
    begin({ user }, sends, answer) {
      const key = `${sends ? 'send' : 'read'}:${user}`
      const most = sends ? mostSends : mostReads
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
