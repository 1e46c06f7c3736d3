// Grants: what may run without asking.
import type { GrantList } from '#doors/web/wire/gate.ts'
import { request } from '../api/client.ts'
import { loaded } from './loaded.ts'

export const grants = loaded(async () => (await request<GrantList>('GET', '/api/grants')).grants)

/** Throws ApiFault. */
export async function revokeGrant(id: string): Promise<void> {
  await request('DELETE', `/api/grants/${encodeURIComponent(id)}`)
  await grants.load()
}
