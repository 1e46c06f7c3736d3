// `atrium tool auth` and `atrium tool setup`: the secrets that a tool needs, stored apart from those of providers.
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import type { StoredSecrets, NeededSecret, Offer, SignIn, ToolAccess } from '#core/tool-access.ts'
import { openAccess } from '#app/components.ts'
import { printable } from '#safety/printable.ts'
import { signInByBrowser } from './browser-sign-in.ts'
import { goOnWith } from './go-on.ts'
import { withComponents } from './home-components.ts'
import { agrees } from './prompts.ts'
import { reloadService } from './running-service.ts'
import { readSecret } from './hidden-prompt.ts'
import { listedBy, print, say, table } from './report.ts'

type AuthOptions = { readonly use?: string; readonly browser?: boolean }
type SetUpOptions = { readonly secret?: string; readonly use?: string }

/** Signs in to a tool: with its environment variable if set, by OAuth, or with a token from a prompt. */
export async function authTool(name: string, { use, browser = true }: AuthOptions): Promise<void> {
  const whose = { tool: name, owner: operator }
  await withAccess(async (access) => {
    const { auth } = await needsOf(access, whose)
    if (!auth) return say(`${name} needs no sign-in.`)
    if (auth.how === 'environment') {
      return say(`${name} signs in with the environment variable ${auth.envVar}, which is set.`)
    }
    const from = use ?? (await chosenOffer(name, auth))
    if (from !== undefined) return done(await access.share(whose, auth.name, from), from)
    if (auth.how === 'oauth') {
      const stored = await signInByBrowser<StoredSecrets>({
        browser,
        begin: (redirectUri) => access.begin(whose, { redirectUri }),
        finish: (returned, state) => access.finish(returned, { owner: operator, state }),
      })
      return done(stored)
    }
    const help = [auth.instructions, auth.setupUrl && `Get a token at ${auth.setupUrl}`, auth.tokenHint]
    printFromTool(name, help.filter((each) => each !== undefined).join('\n'))
    const title = auth.displayName === undefined ? name : `${printable(auth.displayName)} (the tool ${name})`
    await done(await access.giveToken(whose, await readSecret(`Token for ${title}: `)))
  })
}

/** Asks for every secret of the tool's set-up. From standard input it takes one secret per run, chosen by --secret. */
export async function setUpTool(name: string, { secret, use }: SetUpOptions): Promise<void> {
  const whose = { tool: name, owner: operator }
  await withAccess(async (access) => {
    const { auth, setup } = await needsOf(access, whose)
    const needed = setup.filter((each) => secret === undefined || each.name === secret)
    if (secret !== undefined && needed.length === 0) {
      throw new AppError('invalid_input', `${name} has no secret ${secret} to set up`)
    }
    if (needed.length === 0) {
      const unsigned = auth && auth.set === undefined
      return say(`${name} needs no set-up${unsigned ? `, but a sign-in: atrium tool auth ${name}` : '.'}`)
    }
    for (const each of asked(name, needed)) {
      const from = use ?? (await chosenOffer(name, each))
      if (from !== undefined) {
        await done(await access.share(whose, each.name, from), from)
        continue
      }
      const value = await valueFor(name, each)
      if (value === '') say(`Left ${each.name} as it is.`)
      else await done(await access.setUp(whose, { [each.name]: value }))
    }
  })
}

/** Lists the tools that use a secret of another tool. */
export async function listShares(options: { json?: boolean }): Promise<void> {
  await withAccess(async (access) => {
    const shares = await access.shares(operator)
    const rows = shares.map(({ tool, secret, from }) => [tool, secret, from])
    const text = shares.length > 0 ? table([['TOOL', 'SECRET', 'OF'], ...rows]) : 'No tool uses a secret of another.'
    print(options, shares, text)
  })
}

/** Removes a secret of a tool, or its use of another tool's secret. */
export async function forgetSecret(name: string, secret: string): Promise<void> {
  await withAccess(async (access) => {
    if (!(await access.forget({ tool: name, owner: operator }, secret))) {
      throw new AppError('not_found', `${name} has no secret ${secret}: see \`atrium tool info ${name}\``)
    }
  })
  await reloadService()
  say(`Removed ${secret} of ${name}.`)
}

function needsOf(access: ToolAccess, whose: Parameters<ToolAccess['needs']>[0]): ReturnType<ToolAccess['needs']> {
  return listedBy('atrium tool list', () => access.needs(whose))
}

/** The secrets to ask for: on a terminal all, else the one required, because standard input has only one. */
function asked(name: string, needed: readonly NeededSecret[]): readonly NeededSecret[] {
  if (process.stdin.isTTY) return needed
  const required = needed.filter(({ optional }) => !optional)
  const some = required.length > 0 ? required : needed
  if (some.length === 1) return some
  const names = needed.map((each) => each.name).join(', ')
  throw new AppError(
    'invalid_input',
    `${name} needs ${names}: without a terminal give one at a time, with --secret NAME`,
  )
}

async function valueFor(name: string, { name: secret, prompt, optional, set }: NeededSecret): Promise<string> {
  printFromTool(name, prompt ?? '')
  const hint = optional || set ? ` (${set ? 'set already' : 'optional'}, Enter leaves it as it is)` : ''
  return readSecret(`${secret} of the tool ${name}${hint}: `, { optional: optional || set !== undefined })
}

/** The tool whose secret the person wants to share with this one. Without a terminal, explains the option instead. */
async function chosenOffer(name: string, { name: secret, offers }: NeededSecret | SignIn): Promise<string | undefined> {
  for (const { tool, hosts } of offers satisfies readonly Offer[]) {
    const where = hosts.length > 0 ? hosts.join(', ') : 'no host'
    const what = `The tool ${tool} has a secret ${secret}. ${name} would send it to ${where}.`
    if (!process.stdin.isTTY) process.stderr.write(`${what} To use it: --use ${tool}\n`)
    else if (await agrees(`${what} Use it for ${name} too?`)) return tool
  }
  return undefined
}

/** Prints what was stored or shared, and answers the gates that waited for it. */
async function done({ tool, secrets, warning }: StoredSecrets, from?: string): Promise<void> {
  await reloadService()
  if (warning !== undefined) process.stderr.write(`warning: ${printable(warning)}\n`)
  for (const secret of secrets) {
    const more = await goOnWith({ tool, secret })
    say(`${from === undefined ? `Stored ${secret}` : `${tool} uses ${secret} of ${from} from now on`}.${more}`)
  }
}

/** Prints text of a tool's author, marked as such. */
function printFromTool(name: string, text: string): void {
  if (text === '') return
  const lines = printable(text, { lines: true }).split('\n')
  process.stderr.write(`The tool ${name} says:\n${lines.map((line) => `  ${line}\n`).join('')}`)
}

function withAccess(work: (access: ToolAccess) => Promise<void> | void): Promise<void> {
  return withComponents(async (parts) => work(await openAccess(parts)))
}
