// Reads the answer to a posted message. Pure.
import { dayMs } from '#core/time.ts'
import type { Outcome, PostAnswer } from './way.ts'

const maxRetryAfterMs = dayMs
/** The server does not know the address any more. */
const goneStatuses = [404, 410]
/** The server is busy, or was too slow to read the request. */
const laterStatuses = [408, 425, 429]

/** `who` is the server in the words of people. */
export function outcomeOf(answer: PostAnswer, who: string, now: number): Outcome {
  if (answer.type === 'fault') {
    if (answer.blocked) return { type: 'refused', why: answer.message }
    return { type: answer.sent ? 'unknown' : 'later', why: answer.message }
  }
  const { status, headers } = answer
  const why = `${who} answered ${status}`
  if (status >= 200 && status < 300) return { type: 'sent' }
  if (goneStatuses.includes(status)) return { type: 'gone', why }
  if (status < 500 && !laterStatuses.includes(status)) return { type: 'refused', why }
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), now)
  return { type: 'later', why, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** Reads a Retry-After header, in seconds or as a date; at most a day. */
export function readRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined || text.length > 100) return undefined
  const ms = /^\s*\d+\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxRetryAfterMs)
}
