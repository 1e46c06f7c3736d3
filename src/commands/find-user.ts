// The user whom a command names.
import type { User } from '#core/account.ts'
import { AppError } from '#core/errors.ts'
import type { Store } from '#core/store.ts'

/** Throws not_found. */
export async function findUser({ accounts }: Store, name: string): Promise<User> {
  const user = (await accounts.listUsers()).find((each) => each.name === name)
  if (!user) throw noUser(name)
  return user
}

export function noUser(name: string): AppError {
  return new AppError('not_found', `no user is named ${name}: see \`atrium user list\``)
}
