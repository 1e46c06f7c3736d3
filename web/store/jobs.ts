// Actions on a job.
import { request } from '../api/client.ts'

/** Stops a turn that runs, waits or is queued. Throws ApiFault. */
export async function stopJob(id: string): Promise<void> {
  await request('POST', `/api/jobs/${id}/cancel`, { body: {} })
}
