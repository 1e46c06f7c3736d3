// Sign-ins to MCP servers over HTTP: their tokens for requests, and the sign-in in a browser.
import { AppError } from '#core/errors.ts'
import { type McpSignIns, type McpStore, serverNamed } from '#core/mcp.ts'
import type { Resource, ResourceAccess } from '#oauth/resource-access.ts'
import type { Bearer } from './http.ts'

/** The name of the secret that gates of MCP servers ask for. */
export const tokenSecret = 'access_token'

export function createSignIns(store: Pick<McpStore, 'list'>, access: ResourceAccess): McpSignIns {
  async function resourceNamed(name: string): Promise<Resource> {
    const { target } = serverNamed(await store.list(), name)
    if (target.kind === 'http') return { name, url: target.url }
    throw new AppError('invalid_input', `${name} runs on this machine: it takes its secrets as variables, with --env`)
  }
  return {
    signIn: async (name, from) => access.begin(await resourceNamed(name), from),
    finishSignIn: async (returned, by) => ({ ...(await access.finish(returned, by)), secret: tokenSecret }),
  }
}

/** The token of a server for its requests. */
export function bearerOf(access: ResourceAccess, resource: Resource): Bearer {
  return {
    token: () => access.token(resource),
    refused: (token) => access.token(resource, token),
  }
}
