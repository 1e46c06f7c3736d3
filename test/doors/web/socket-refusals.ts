// Refused connections, and values that several tests of the live connection use.
import { Refused } from './socket.ts'

export const never = () => Promise.reject(new Error('not asked here'))
export const hourMs = 3_600_000
export const noThread = '0197a000-0000-7000-8000-000000000000'

export async function refused(work: Promise<unknown>): Promise<[number, string]> {
  try {
    await work
  } catch (error) {
    if (error instanceof Refused) return [error.status, error.text]
    throw error
  }
  throw new Error('it was not refused')
}
