// What may run without asking.
import type { GrantList } from '#doors/web/wire/gate.ts'
import { ask } from '../api/client.ts'
import { loaded } from './loaded.ts'

export const grants = loaded(async () => (await ask<GrantList>('GET', '/api/grants')).grants)

/** Takes a grant back. Throws ApiFault. */
export async function revokeGrant(id: string): Promise<void> {
  await ask('DELETE', `/api/grants/${encodeURIComponent(id)}`)
  await grants.load()
}
