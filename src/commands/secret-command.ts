// `atrium secret`: stores, lists and removes secrets. Values come from a hidden prompt or standard input, never from an
// argument.
import { loadConfig } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { operator, type UserId } from '#core/ids.ts'
import { countWords } from '#core/words.ts'
import { lockHome, createNextKey, openHome, useNextKey } from '#home.ts'
import { createSeal } from '#lib/seal.ts'
import { isoTime } from '#core/time.ts'
import { reloadService } from './running-service.ts'
import { readSecret } from './hidden-prompt.ts'
import { print, say, table } from './report.ts'
import { withStore } from './home-store.ts'

export async function setSecret(name: string): Promise<void> {
  if (!/^[A-Za-z][A-Za-z0-9_.-]{0,127}$/.test(name)) {
    throw new AppError(
      'invalid_input',
      'a secret is named by 1 to 128 letters, digits and _ . -, beginning with a letter',
    )
  }
  const value = await readSecret(`Value of ${name}: `)
  await withStore(({ secrets }) => secrets.set(name, value))
  await reloadService()
  say(`Stored ${name}.`)
}

export async function listSecrets(options: { json?: boolean }): Promise<void> {
  await withStore(async (store) => {
    const closed = new Set((await store.secrets.unopenable()).filter(isOperators).map(({ name }) => name))
    const secrets = (await store.secrets.list()).map(({ name, sameAs = name, updatedAt }) => ({
      name,
      updated_at: isoTime(updatedAt),
      ...(closed.has(sameAs) && { opens: false }),
    }))
    const rows = secrets.map(({ name, updated_at: at, opens = true }) => [name, at, ...(opens ? [] : [notOpened])])
    const text = secrets.length > 0 ? table([['NAME', 'UPDATED', ''], ...rows]) : 'No secrets yet.'
    print(options, secrets, text)
  })
}

const notOpened = 'cannot be opened, sealed under another key: set it again'

function isOperators({ owner }: { readonly owner: UserId }): boolean {
  return owner === operator
}

export async function removeSecret(name: string): Promise<void> {
  await withStore(async ({ secrets }) => {
    if (await secrets.remove(name)) return
    throw new AppError('not_found', `no secret is named ${name}: see \`atrium secret list\``)
  })
  await reloadService()
  say(`Removed ${name}.`)
}

/**
 * Seals every secret under a new key. No service may run, because it has the key in memory. An interrupted rotation is
 * finished by the next one; until then both keys work.
 */
export async function rotateKey(): Promise<void> {
  const config = loadConfig()
  const home = openHome(config.home)
  const unlock = lockHome(home)
  if (!unlock) throw new AppError('home_locked', `Atrium runs on ${config.home} and holds the key: stop it first`)
  try {
    const own = config.masterKey === undefined
    const key = own ? createNextKey(home) : await givenKey(config.masterKey)
    const count = await withStore(async ({ secrets, leases }) => {
      if ((await leases.alive()) > 0) {
        throw new AppError('home_locked', 'other processes of Atrium run on this database: stop them first')
      }
      return secrets.reseal(createSeal(key))
    })
    if (own) useNextKey(home)
    const rest = own ? '' : ' Set ATRIUM_MASTER_KEY to the new key before the next start.'
    say(`Sealed ${countWords(count, 'secret')} under a new key.${rest}`)
  } finally {
    unlock()
  }
}

async function givenKey(before: string | undefined): Promise<string> {
  const key = (await readSecret('The new key, as printed by openssl rand -hex 32: ')).trim().toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(key)) throw new AppError('invalid_input', 'a key has 64 hex digits: nothing was changed')
  if (key === before?.toLowerCase()) throw new AppError('invalid_input', 'this is the key in use: nothing was changed')
  return key
}
