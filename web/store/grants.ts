// What may run without asking.
import { ask } from '../api/client.ts'
import type { Grant } from '../api/wire.ts'
import { loaded } from './loaded.ts'

export const grants = loaded(async () => (await ask<{ grants: readonly Grant[] }>('GET', '/api/grants')).grants)

/** Takes a grant back. Throws ApiFault. */
export async function revokeGrant(id: string): Promise<void> {
  await ask('DELETE', `/api/grants/${encodeURIComponent(id)}`)
  await grants.load()
}
