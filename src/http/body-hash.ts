// The hash of a request's body: tells whether a repeated request is the same.
import { createHash, hash } from 'node:crypto'
import { canonical } from '#core/json.ts'
import { isLong, jsonInSlices, sortedKeys } from '#core/json-slices.ts'
import { nextTurn, pace } from '#lib/pace.ts'

/** Values nested deeper are not compared, so that a deep field which is ignored cannot fail a request. */
const maxLevels = 100

/** A long body is hashed with pauses for the event loop. */
export async function hashOfBody(body: unknown): Promise<string> {
  if (!isLong(body)) return hash('sha256', canonical(body, maxLevels))
  await nextTurn()
  const whole = createHash('sha256')
  for (const slice of jsonInSlices(body, { keysOf: sortedKeys, levels: maxLevels })) {
    whole.update(slice)
    await pace()
  }
  return whole.digest('hex')
}
