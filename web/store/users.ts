// The people who have a token, for the operator.
import { signal } from '@preact/signals'
import { ask } from '../api/client.ts'
import type { User } from '../api/wire.ts'
import { loaded } from './loaded.ts'

export const users = loaded(async () => (await ask<{ users: readonly User[] }>('GET', '/api/users')).users)

/** A token that was made a moment ago: it is shown this once, and kept nowhere. */
export type NewToken = { readonly name: string; readonly token: string }
export const newToken = signal<NewToken | undefined>(undefined)

/** Throws ApiFault. */
export async function addUser(name: string, days: number | undefined): Promise<void> {
  const body = { name, ...(days !== undefined && { expires_in_days: days }) }
  const { token } = await ask<{ token: string }>('POST', '/api/users', { body })
  newToken.value = { name, token }
  await users.load()
}

/** Ends what runs for a user and erases all that is theirs. Throws ApiFault. */
export async function removeUser(name: string): Promise<void> {
  await ask('DELETE', `/api/users/${encodeURIComponent(name)}`)
  if (newToken.peek()?.name === name) newToken.value = undefined
  await users.load()
}
