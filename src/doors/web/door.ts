// The web door: the gateway's JSON routes, joined. Each file beside this one holds one family of them.
import { type Route, route } from '#http/routes.ts'
import { type ChatParts, chatRoutes } from './chat.ts'
import { gateRoutes } from './gates.ts'
import { jobRoutes } from './jobs.ts'
import { liveRoutes } from './live.ts'
import { loginRoutes } from './login.ts'
import { type MemoryParts, memoryRoutes } from './memory.ts'
import { type OidcRouteParts, oidcRoutes } from './oidc.ts'
import { receiptRoutes } from './receipts.ts'
import { type SettingsParts, settingsRoutes } from './settings.ts'
import { type StatusParts, statusRoutes } from './status.ts'
import { threadRoutes } from './threads.ts'
import { type UsageParts, usageRoutes } from './usage.ts'
import { type UsersParts, userRoutes } from './users.ts'

export type WebParts = ChatParts &
  OidcRouteParts &
  SettingsParts &
  StatusParts &
  MemoryParts &
  UsageParts &
  UsersParts & {
    /** Every route of the gateway, for the OpenAPI document. */
    readonly routes: () => readonly Route[]
  }

/** The rows of the web door. */
export function webRoutes(parts: WebParts): Route[] {
  return [
    ...loginRoutes(parts),
    ...oidcRoutes(parts),
    ...statusRoutes(parts),
    ...chatRoutes(parts),
    ...liveRoutes(),
    ...jobRoutes(parts),
    ...threadRoutes(parts),
    ...gateRoutes(parts),
    ...receiptRoutes(parts),
    ...memoryRoutes(parts),
    ...userRoutes(parts),
    ...settingsRoutes(parts),
    ...usageRoutes(parts),
    openApiRoute(parts),
  ]
}

/** Made once, when it is first wanted. */
function openApiRoute({ routes, about: { version } }: WebParts): Route {
  let document: string | undefined
  return route({
    method: 'GET',
    path: '/api/openapi.json',
    who: 'user',
    summary: 'This document',
    async handle(_call, reply) {
      const { describeRoutes } = await import('#http/openapi.ts')
      document ??= JSON.stringify(await describeRoutes(routes(), version))
      return reply.type('application/json; charset=utf-8').send(document)
    },
  })
}
