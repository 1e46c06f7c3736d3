// `atrium mcp auth`: signs in to an MCP server over HTTP, and lets the turns that waited for it go on.
import { operator } from '#core/ids.ts'
import { countWords } from '#core/words.ts'
import { printable } from '#safety/printable.ts'
import { signInByBrowser } from './browser-sign-in.ts'
import { goOnWith } from './go-on.ts'
import { withOpenTools } from './home-tools.ts'
import { reloadService } from './running-service.ts'
import { say } from './report.ts'

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
    const found = await servers.check(name, AbortSignal.timeout(60_000)).catch((error: unknown) => error as Error)
    await reloadService()
    const more = await goOnWith({ tool: name, secret, of: 'mcp' })
    const offer = found instanceof Error ? `but: ${printable(found.message)}` : countWords(found.tools.length, 'tool')
    say(`Signed in to ${name}: ${offer}.${more}`)
  })
}
