// `atrium mcp auth`: signs in to an MCP server over HTTP, and lets the turns that waited for it go on.
import { loadConfig } from '#config.ts'
import { operator } from '#core/ids.ts'
import { countWords } from '#core/words.ts'
import { printable } from '#safety/printable.ts'
import { answerWaitingFor } from '#turns/credentials.ts'
import { signInByBrowser } from './browser-sign-in.ts'
import { withOpenTools } from './home-tools.ts'
import { withStore } from './home-store.ts'
import { askService, reloadService } from './running-service.ts'

type Options = { readonly clientId?: string; readonly browser?: boolean }

export async function authServer(name: string, { clientId, browser = true }: Options): Promise<void> {
  const client = clientId === undefined ? {} : { client: { id: clientId } }
  await withOpenTools(async ({ mcp }) => {
    const servers = await mcp()
    const { secret } = await signInByBrowser({
      browser,
      begin: (redirectUri) => servers.signIn(name, { redirectUri, owner: operator, ...client }),
      finish: (returned, state) => servers.finishSignIn(returned, { owner: operator, state }),
    })
    const { home } = loadConfig()
    const signedIn = { tool: name, secret, of: 'mcp' } as const
    const found = await servers.check(name, AbortSignal.timeout(60_000)).catch((error: unknown) => error as Error)
    await reloadService(home)
    const reply = (await askService(home, '/signed-in', signedIn)) as { closed?: number } | undefined
    const all = { ...signedIn, owner: operator, by: 'operator' }
    const closed = reply?.closed ?? (await withStore((store) => answerWaitingFor({ store, now: Date.now }, all))).length
    const more = closed > 0 ? ` ${closed === 1 ? 'A turn that waited goes' : `${closed} turns that waited go`} on.` : ''
    const offer = found instanceof Error ? `but: ${printable(found.message)}` : countWords(found.tools.length, 'tool')
    process.stdout.write(`Signed in to ${name}: ${offer}.${more}\n`)
  })
}
