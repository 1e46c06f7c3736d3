// Users and their tokens, for the operator.
import { signal } from '@preact/signals'
import type { NewUser, Token, TokenList, UserList } from '#doors/web/wire/user.ts'
import { request } from '../api/client.ts'
import { type Loaded, loaded } from './loaded.ts'

export const users = loaded(async () => (await request<UserList>('GET', '/api/users')).users)

/** A token just created. It is shown once and stored nowhere. */
export type NewToken = { readonly name: string; readonly token: string }
export const newToken = signal<NewToken | undefined>(undefined)

/** Throws ApiFault. */
export async function addUser(name: string, days: number | undefined): Promise<void> {
  const body = { name, ...(days !== undefined && { expires_in_days: days }) }
  const { token } = await request<NewUser>('POST', '/api/users', { body })
  newToken.value = { name, token }
  await users.load()
}

/** Stops a user's turns and erases all of their data. Throws ApiFault. */
export async function removeUser(name: string): Promise<void> {
  await request('DELETE', pathOf(name))
  if (newToken.peek()?.name === name) newToken.value = undefined
  await users.load()
}

export function tokensOf(name: string): Loaded<readonly Token[]> {
  return loaded(async () => (await request<TokenList>('GET', `${pathOf(name)}/tokens`)).tokens)
}

/** Creates another token for a user. Throws ApiFault. */
export async function addToken(name: string): Promise<void> {
  const { token } = await request<NewUser>('POST', `${pathOf(name)}/tokens`, { body: {} })
  newToken.value = { name, token }
  await users.load()
}

/** Revokes every token of a user. Their data stays. Throws ApiFault. */
export async function revokeTokens(name: string): Promise<void> {
  const { tokens } = await request<TokenList>('GET', `${pathOf(name)}/tokens`)
  try {
    for (const { id } of tokens) await request('DELETE', `${pathOf(name)}/tokens/${encodeURIComponent(id)}`)
  } finally {
    if (newToken.peek()?.name === name) newToken.value = undefined
    await users.load()
  }
}

/** Revokes a token and ends the sessions that it opened. Throws ApiFault. */
export async function revokeToken(name: string, id: string): Promise<void> {
  await request('DELETE', `${pathOf(name)}/tokens/${encodeURIComponent(id)}`)
  await users.load()
}

function pathOf(name: string): string {
  return `/api/users/${encodeURIComponent(name)}`
}
