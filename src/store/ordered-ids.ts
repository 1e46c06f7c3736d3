// Strictly increasing ids. Time-ordered UUIDs of the same millisecond are not ordered, but two messages of one millisecond
// must be: the queue of a thread and every list sort by id.
import { randomInt } from 'node:crypto'
import { idAt, idTime } from '#core/ids.ts'
import { dayMs } from '#core/time.ts'

/**
 * How far an id may be ahead of the clock for new ids to follow it. Beyond, the clock was wrong, and they go by it: else
 * retention and the index of threads, which go by the time in ids, would wait until the clock has come there.
 */
const maxAheadMs = dayMs
/** Of the step from an id to the next. There is room for two thousand million steps. */
const maxStep = 2 ** 32

/** The newest turn whose id is before a bound. */
export const newestTurn = 'SELECT id FROM turns WHERE id < ? ORDER BY id DESC LIMIT 1'

export function newestTurnBound(now: number): string {
  return idAt(now + maxAheadMs)
}

/**
 * Returns a function that makes ids. Each sorts after the one before, the first after `last`, also where the clock goes back
 * by up to a day.
 */
export function createOrderedIds(newId: () => string, last = ''): () => string {
  return () => {
    const id = newId()
    last = id > last || last >= newestTurnBound(idTime(id)) ? id : successor(last)
    return last
  }
}

/** A UUID that sorts shortly after: its last 16 digits plus a random step, since other processes may follow the same id. */
function successor(uuid: string): string {
  const last = BigInt(`0x${uuid.slice(19).replace('-', '')}`)
  const digits = (last + BigInt(randomInt(1, maxStep))).toString(16).padStart(16, '0')
  return `${uuid.slice(0, 19)}${digits.slice(0, 4)}-${digits.slice(4)}`
}
