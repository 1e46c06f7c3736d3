// What can be done with a job, wherever it is shown.
import { request } from '../api/client.ts'

/** Stops a turn that runs, waits or is queued. */
export async function stopJob(id: string): Promise<void> {
  await request('POST', `/api/jobs/${id}/cancel`, { body: {} })
}
