// `atrium secret`: values come from a hidden prompt or standard input, never from an argument.
import { loadConfig } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { openHomeStore } from '#hall.ts'
import { tellService } from './attach.ts'
import { readSecret } from './hidden.ts'
import { print, table } from './report.ts'

export async function setSecret(name: string): Promise<void> {
  if (!/^[A-Za-z][A-Za-z0-9_.-]{0,127}$/.test(name)) {
    throw new AppError(
      'invalid_input',
      'a secret is named by 1 to 128 letters, digits and _ . -, beginning with a letter',
    )
  }
  const config = loadConfig()
  const value = await readSecret(`Value of ${name}: `)
  const { store } = await openHomeStore(config)
  try {
    await store.secrets.set(name, value)
  } finally {
    await store.close()
  }
  await tellService(config.home)
  process.stdout.write(`Stored ${name}.\n`)
}

export async function listSecrets(options: { json?: boolean }): Promise<void> {
  const { store } = await openHomeStore(loadConfig())
  try {
    const secrets = (await store.secrets.list()).map(({ name, updatedAt }) => ({
      name,
      updated_at: new Date(updatedAt).toISOString(),
    }))
    const text =
      secrets.length > 0
        ? table([['NAME', 'UPDATED'], ...secrets.map((each) => [each.name, each.updated_at])])
        : 'No secrets yet.'
    print(options, secrets, text)
  } finally {
    await store.close()
  }
}

export async function removeSecret(name: string): Promise<void> {
  const config = loadConfig()
  const { store } = await openHomeStore(config)
  try {
    if (!(await store.secrets.remove(name)))
      throw new AppError('not_found', `no secret is named ${name}: see \`atrium secret list\``)
  } finally {
    await store.close()
  }
  await tellService(config.home)
  process.stdout.write(`Removed ${name}.\n`)
}
