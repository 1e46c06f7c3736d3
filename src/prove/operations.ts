// The routes of the gateway, as its own OpenAPI document lists them.
import { bearer, send } from './send.ts'
import type { Target } from './target.ts'

export type Operation = {
  readonly method: string
  readonly path: string
  /** It needs no token. */
  readonly open: boolean
}

/** The routes that are meant to need no token. A route that is not here and needs none has lost its guard. */
export const openRoutes: ReadonlySet<string> = new Set([
  'GET /api/health',
  'GET /api/ready',
  'POST /api/login',
  'GET /api/oidc/login',
  'GET /api/oidc/callback',
  'GET /api/tools/oauth/callback',
  'GET /api/mcp/oauth/callback',
])

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly security?: unknown[] }>>>>
}

export async function operationsOf({ gateway, operatorToken }: Target): Promise<readonly Operation[]> {
  const { text } = await send(`${gateway}/api/openapi.json`, { headers: bearer(operatorToken) })
  const { paths } = JSON.parse(text) as Document
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => ({
      method: method.toUpperCase(),
      path,
      open: security?.length === 0,
    })),
  )
}
