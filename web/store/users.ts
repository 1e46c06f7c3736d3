// The people who have a token, for the operator.
import { signal } from '@preact/signals'
import type { NewUser, Token, TokenList, UserList } from '#doors/web/wire/user.ts'
import { ask } from '../api/client.ts'
import { type Loaded, loaded } from './loaded.ts'

export const users = loaded(async () => (await ask<UserList>('GET', '/api/users')).users)

/** A token that was made a moment ago: it is shown this once, and kept nowhere. */
export type NewToken = { readonly name: string; readonly token: string }
export const newToken = signal<NewToken | undefined>(undefined)

/** Throws ApiFault. */
export async function addUser(name: string, days: number | undefined): Promise<void> {
  const body = { name, ...(days !== undefined && { expires_in_days: days }) }
  const { token } = await ask<NewUser>('POST', '/api/users', { body })
  newToken.value = { name, token }
  await users.load()
}

/** Ends what runs for a user and erases all that is theirs. Throws ApiFault. */
export async function removeUser(name: string): Promise<void> {
  await ask('DELETE', pathOf(name))
  if (newToken.peek()?.name === name) newToken.value = undefined
  await users.load()
}

/** The tokens of a user. */
export function tokensOf(name: string): Loaded<readonly Token[]> {
  return loaded(async () => (await ask<TokenList>('GET', `${pathOf(name)}/tokens`)).tokens)
}

/** One more token for a user, shown once. Throws ApiFault. */
export async function addToken(name: string): Promise<void> {
  const { token } = await ask<NewUser>('POST', `${pathOf(name)}/tokens`, { body: {} })
  newToken.value = { name, token }
  await users.load()
}

/** Revokes every token of a user; what is theirs stays. Throws ApiFault. */
export async function revokeTokens(name: string): Promise<void> {
  const { tokens } = await ask<TokenList>('GET', `${pathOf(name)}/tokens`)
  try {
    for (const { id } of tokens) await ask('DELETE', `${pathOf(name)}/tokens/${encodeURIComponent(id)}`)
  } finally {
    if (newToken.peek()?.name === name) newToken.value = undefined
    await users.load()
  }
}

/** Revokes a token, with the sessions that it opened. Throws ApiFault. */
export async function revokeToken(name: string, id: string): Promise<void> {
  await ask('DELETE', `${pathOf(name)}/tokens/${encodeURIComponent(id)}`)
  await users.load()
}

function pathOf(name: string): string {
  return `/api/users/${encodeURIComponent(name)}`
}
