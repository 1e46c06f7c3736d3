// `atrium user`: people and their tokens.
import { loadConfig } from '#config.ts'
import { AppError } from '#core/errors.ts'
import type { Store } from '#core/store.ts'
import { hashToken, newToken } from '#lib/token.ts'
import { openHomeStore } from '#hall.ts'
import { print, table } from './report.ts'

type Options = { readonly json?: boolean; readonly expiresInDays?: string }

const dayMs = 86_400_000
const maxDays = 3_650

export function addUser(name: string, options: Options): Promise<void> {
  return withStore(async ({ accounts }) => {
    checkName(name)
    const token = newToken()
    const user = await accounts.addUser(name, { hash: hashToken(token), ...expiry(options) })
    show(options, user, token)
  })
}

export function addToken(name: string, options: Options): Promise<void> {
  return withStore(async ({ accounts }) => {
    const token = newToken()
    const user = await accounts.addToken(name, { hash: hashToken(token), ...expiry(options) })
    show(options, user, token)
  })
}

export function listUsers(options: Options): Promise<void> {
  return withStore(async ({ accounts }) => {
    const users = await accounts.listUsers()
    const rows = users.map(({ name, tokens, createdAt }) => [name, String(tokens), new Date(createdAt).toISOString()])
    const text =
      users.length > 0
        ? table([['NAME', 'TOKENS', 'SINCE'], ...rows])
        : 'No users yet. Add one with `atrium user add NAME`.'
    print(
      options,
      users.map(({ id, name, tokens, createdAt }) => ({
        id,
        name,
        tokens,
        created_at: new Date(createdAt).toISOString(),
      })),
      text,
    )
  })
}

export function removeUser(name: string, options: Options): Promise<void> {
  return withStore(async ({ accounts }) => {
    if (!(await accounts.removeUser(name)))
      throw new AppError('not_found', `no user is named ${name}: see \`atrium user list\``)
    print(options, { removed: name }, `Removed ${name}; their tokens no longer work.`)
  })
}

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const { store } = await openHomeStore(loadConfig())
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

function show(options: Options, user: { id: string; name: string }, token: string): void {
  print(
    options,
    { user: { id: user.id, name: user.name }, token },
    `${token}\n\nThe token of ${user.name}, shown once. Send it as \`Authorization: Bearer …\`.`,
  )
}

function checkName(name: string): void {
  if (/^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u.test(name)) return
  throw new AppError(
    'invalid_input',
    'a user name has 1 to 64 letters, digits, spaces and . _ @ -, beginning with a letter or digit',
  )
}

function expiry({ expiresInDays }: Options): { expiresAt?: number } {
  if (expiresInDays === undefined) return {}
  const days = Number(expiresInDays)
  if (!Number.isInteger(days) || days < 1 || days > maxDays) {
    throw new AppError(
      'invalid_input',
      `--expires-in-days takes a whole number from 1 to ${maxDays}, not ${expiresInDays}`,
    )
  }
  return { expiresAt: Date.now() + days * dayMs }
}
