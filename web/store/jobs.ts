// Single jobs, read when they are looked at.
import { ask } from '../api/client.ts'
import type { Job } from '../api/wire.ts'
import { type Loaded, loaded } from './loaded.ts'

const mostKept = 200
const known = new Map<string, Loaded<Job>>()

export function jobOf(id: string): Loaded<Job> {
  const found = known.get(id) ?? loaded(() => ask<Job>('GET', `/api/jobs/${id}`))
  known.set(id, found)
  if (known.size > mostKept) known.delete(known.keys().next().value ?? id)
  return found
}

/** Stops a turn that runs, waits or is queued. */
export async function stopJob(id: string): Promise<void> {
  await ask('POST', `/api/jobs/${id}/cancel`, { body: {} })
}
