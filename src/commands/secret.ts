// `atrium secret`: values come from a hidden prompt or standard input, never from an argument.
import { loadConfig } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { tellService } from './attach.ts'
import { readSecret } from './hidden.ts'
import { print, table } from './report.ts'
import { withStore } from './store.ts'

export async function setSecret(name: string): Promise<void> {
  if (!/^[A-Za-z][A-Za-z0-9_.-]{0,127}$/.test(name)) {
    throw new AppError(
      'invalid_input',
      'a secret is named by 1 to 128 letters, digits and _ . -, beginning with a letter',
    )
  }
  const { home } = loadConfig()
  const value = await readSecret(`Value of ${name}: `)
  await withStore(({ secrets }) => secrets.set(name, value))
  await tellService(home)
  process.stdout.write(`Stored ${name}.\n`)
}

export async function listSecrets(options: { json?: boolean }): Promise<void> {
  await withStore(async (store) => {
    const secrets = (await store.secrets.list()).map(({ name, updatedAt }) => ({
      name,
      updated_at: new Date(updatedAt).toISOString(),
    }))
    const text =
      secrets.length > 0
        ? table([['NAME', 'UPDATED'], ...secrets.map((each) => [each.name, each.updated_at])])
        : 'No secrets yet.'
    print(options, secrets, text)
  })
}

export async function removeSecret(name: string): Promise<void> {
  await withStore(async ({ secrets }) => {
    if (await secrets.remove(name)) return
    throw new AppError('not_found', `no secret is named ${name}: see \`atrium secret list\``)
  })
  await tellService(loadConfig().home)
  process.stdout.write(`Removed ${name}.\n`)
}
