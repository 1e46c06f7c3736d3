// `atrium tool auth` and `atrium tool setup`: the secrets a tool needs, kept apart from those of providers.
import { environmentVariable, loadConfig } from '#config.ts'
import { AppError } from '#core/errors.ts'
import type { Store } from '#core/store.ts'
import { openHomeStore } from '#hall.ts'
import { toolSecret } from '#hall/tools.ts'
import { type Capabilities, readCapabilities } from '#sandbox/capabilities.ts'
import { tellService } from './attach.ts'
import { readSecret } from './hidden.ts'

/** Stores the token a tool signs in with. A variable that is set in the environment goes before it. */
export async function authTool(name: string): Promise<void> {
  await withTool(name, async ({ auth }, store) => {
    if (!auth) return say(`${name} needs no sign-in.`)
    if (auth.envVar && environmentVariable(auth.envVar)) {
      return say(`${name} signs in with the environment variable ${auth.envVar}, which is set.`)
    }
    const title = auth.displayName ?? name
    const help = [auth.instructions, auth.setupUrl && `Get a token at ${auth.setupUrl}`, auth.tokenHint].filter(Boolean)
    if (help.length > 0) process.stderr.write(`${help.join('\n')}\n`)
    await store.secrets.set(toolSecret(name, auth.secretName), await readSecret(`Token for ${title}: `))
    say(`Stored ${auth.secretName}. Approve the waiting sign-in, if there is one, and the turn goes on.`)
  })
}

/** Asks for every secret that the tool's set-up names; on standard input they come one a run, by --secret. */
export async function setUpTool(name: string, { secret }: { secret?: string }): Promise<void> {
  await withTool(name, async ({ requiredSecrets }, store) => {
    const wanted = requiredSecrets.filter((each) => secret === undefined || each.name === secret)
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
      await store.secrets.set(toolSecret(name, each.name), await readSecret(`${each.prompt ?? each.name}: `))
      say(`Stored ${each.name}.`)
    }
  })
}

async function withTool(
  name: string,
  work: (capabilities: Capabilities, store: Store) => Promise<void> | void,
): Promise<void> {
  const config = loadConfig()
  const { store } = await openHomeStore(config)
  try {
    const tool = (await store.tools.list()).find((each) => each.name === name)
    if (!tool) throw new AppError('not_found', `no tool is named ${name}: see \`atrium tool list\``)
    await work(readCapabilities(tool.capabilities).capabilities, store)
  } finally {
    await store.close()
  }
  await tellService(config.home)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
