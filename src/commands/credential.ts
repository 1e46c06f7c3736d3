// `atrium tool auth` and `atrium tool setup`: the secrets a tool needs, kept apart from those of providers.
import { environmentVariable, loadConfig } from '#config.ts'
import { AppError } from '#core/errors.ts'
import type { Store } from '#core/store.ts'
import { toolSecret } from '#hall/components.ts'
import { printable } from '#safety/printable.ts'
import { type Capabilities, readCapabilities } from '#sandbox/package/capabilities.ts'
import type { RequiredSecret } from '#sandbox/package/auth.ts'
import { tellService } from './attach.ts'
import { readSecret } from './hidden.ts'
import { findTool, withStore } from './store.ts'

/** Stores the token a tool signs in with. A variable that is set in the environment goes before it. */
export async function authTool(name: string): Promise<void> {
  await withTool(name, async ({ auth }, store) => {
    if (!auth) return say(`${name} needs no sign-in.`)
    if (auth.envVar && environmentVariable(auth.envVar)) {
      return say(`${name} signs in with the environment variable ${auth.envVar}, which is set.`)
    }
    const title = auth.displayName === undefined ? name : `${printable(auth.displayName)} (the tool ${name})`
    const help = [auth.instructions, auth.setupUrl && `Get a token at ${auth.setupUrl}`, auth.tokenHint]
    tellFrom(name, help.filter((each) => each !== undefined).join('\n'))
    await store.secrets.set(toolSecret(name, auth.secretName), await readSecret(`Token for ${title}: `))
    say(`Stored ${auth.secretName}. Approve the waiting sign-in, if there is one, and the turn goes on.`)
  })
}

/** Asks for every secret that the tool's set-up names; on standard input they come one a run, by --secret. */
export async function setUpTool(name: string, { secret }: { secret?: string }): Promise<void> {
  await withTool(name, async (capabilities, store) => {
    const wanted = secretsOf(capabilities).filter((each) => secret === undefined || each.name === secret)
    if (secret !== undefined && wanted.length === 0) {
      throw new AppError('invalid_input', `${name} has no secret ${secret} to set up`)
    }
    if (wanted.length === 0) return say(`${name} needs no set-up.`)
    if (wanted.length > 1 && !process.stdin.isTTY) {
      const names = wanted.map((each) => each.name).join(', ')
      throw new AppError(
        'invalid_input',
        `${name} needs ${names}: without a terminal give one at a time, with --secret NAME`,
      )
    }
    for (const each of wanted) {
      tellFrom(name, each.prompt ?? '')
      const { optional } = each
      const hint = optional ? ' (optional, Enter leaves it as it is)' : ''
      const value = await readSecret(`${each.name} of the tool ${name}${hint}: `, { optional })
      if (value !== '') await store.secrets.set(toolSecret(name, each.name), value)
      say(value === '' ? `Left ${each.name} as it is.` : `Stored ${each.name}.`)
    }
  })
}

/** What a set-up asks for: the secrets the file names for it, and those of credentials that nothing else would set. */
function secretsOf({ requiredSecrets, credentials, auth }: Capabilities): readonly RequiredSecret[] {
  const known = new Set([...requiredSecrets.map(({ name }) => name), auth?.secretName])
  const others = new Set(credentials.map(({ secretName }) => secretName).filter((each) => !known.has(each)))
  return [...requiredSecrets, ...[...others].map((each) => ({ name: each, optional: false }))]
}

/** The words of a tool's author, told apart from the service's own. */
function tellFrom(name: string, text: string): void {
  if (text === '') return
  const lines = printable(text, { lines: true }).split('\n')
  process.stderr.write(`The tool ${name} says:\n${lines.map((line) => `  ${line}\n`).join('')}`)
}

async function withTool(
  name: string,
  work: (capabilities: Capabilities, store: Store) => Promise<void> | void,
): Promise<void> {
  await withStore(async (store) => {
    const { capabilities } = await findTool(store, name)
    await work(readCapabilities(capabilities).capabilities, store)
  })
  await tellService(loadConfig().home)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
