// Routes of the sign-in to MCP servers: its beginning, and the return of the browser.
import * as z from 'zod/mini'
import { operator } from '#core/ids.ts'
import type { McpServers } from '#core/mcp.ts'
import type { Origins } from '#http/origin.ts'
import { type Route, route } from '#http/routes.ts'
import type { Gates } from '#turns/gates.ts'
import { beginInBrowser, receiveBrowser } from './sign-in-return.ts'

const callbackPath = '/api/mcp/oauth/callback'
/** Time to read the list of a server after the sign-in. */
const listMs = 30_000

const AuthBody = z.object({
  /** A client that was registered by hand, for servers that register none. */
  client_id: z.nullish(z.string().check(z.maxLength(1_000))),
})
const AuthAnswer = z.object({ url: z.string() })

export type McpAuthParts = {
  readonly mcp: () => Promise<McpServers>
  readonly gates: Pick<Gates, 'signedIn'>
  readonly origins: Pick<Origins, 'ownOrigin'>
}

export function mcpAuthRoutes({ mcp, gates, origins }: McpAuthParts): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/mcp/:name/auth',
      who: 'operator',
      summary: 'Begin the sign-in to an MCP server: returns the address to open',
      body: AuthBody,
      answers: { 200: AuthAnswer },
      async handle({ params: { name }, body: { client_id: clientId } }, reply) {
        const base = origins.ownOrigin(reply.request.raw)
        const client = clientId ? { client: { id: clientId } } : {}
        const servers = await mcp()
        const { url } = await beginInBrowser(reply, { base, path: callbackPath }, (from) =>
          servers.signIn(name, { ...from, owner: operator, ...client }),
        )
        return { url } satisfies z.output<typeof AuthAnswer>
      },
    }),
    route({
      method: 'GET',
      path: callbackPath,
      // The sign-in cookie identifies the browser; the session cookie is not sent on a redirect from another site.
      who: 'anyone',
      summary: 'Return from the sign-in to an MCP server',
      handle: (_call, reply) =>
        receiveBrowser(reply, callbackPath, async (by) => {
          const servers = await mcp()
          const address = `${origins.ownOrigin(reply.request.raw)}${reply.request.url}`
          const { name, secret } = await servers.finishSignIn(address, by)
          // Its tools are pinned now, if it answers. Else its next call says why not.
          await servers.check(name, AbortSignal.timeout(listMs)).catch(() => undefined)
          await gates.signedIn({ tool: name, secret, of: 'mcp', owner: operator, by: 'sign-in' })
          return `${name} is signed in.`
        }),
    }),
  ]
}
