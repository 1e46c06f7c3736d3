// The web door: all JSON routes of the gateway. Each *-routes.ts file beside this one defines one group.
import { type Route, route } from '#http/routes.ts'
import { loadOnce } from '#lib/load-once.ts'
import { type ChatParts, chatRoutes } from './chat-routes.ts'
import { gateRoutes } from './gate-routes.ts'
import { jobRoutes } from './job-routes.ts'
import { liveRoutes } from './live-routes.ts'
import { loginRoutes } from './login-routes.ts'
import { type MemoryParts, memoryRoutes } from './memory-routes.ts'
import { type MissionRouteParts, missionRoutes } from './mission-routes.ts'
import { type NotificationRouteParts, notificationRoutes } from './notification-routes.ts'
import { type ModelParts, modelRoutes } from './model-routes.ts'
import { type OidcRouteParts, oidcRoutes } from './oidc-routes.ts'
import { queueRoutes } from './queue-routes.ts'
import { receiptRoutes } from './receipt-routes.ts'
import { type SettingsParts, settingsRoutes } from './settings-routes.ts'
import { skillRoutes, type SkillsParts } from './skill-routes.ts'
import { type StatusParts, statusRoutes } from './status-routes.ts'
import { threadFileRoutes } from './thread-file-routes.ts'
import { threadRoutes } from './thread-routes.ts'
import { type UsageParts, usageRoutes } from './usage-routes.ts'
import { type UsersParts, userRoutes } from './user-routes.ts'

export type WebParts = ChatParts &
  OidcRouteParts &
  SettingsParts &
  SkillsParts &
  StatusParts &
  MemoryParts &
  MissionRouteParts &
  NotificationRouteParts &
  ModelParts &
  UsageParts &
  UsersParts & {
    /** Every route of the gateway, for the OpenAPI document. */
    readonly routes: () => Promise<readonly Route[]>
  }

/** All routes of the web door. */
export function webRoutes(parts: WebParts): Route[] {
  return [
    ...loginRoutes(parts),
    ...oidcRoutes(parts),
    ...statusRoutes(parts),
    ...chatRoutes(parts),
    ...liveRoutes(),
    ...jobRoutes(parts),
    ...threadRoutes(parts),
    ...threadFileRoutes(parts),
    ...queueRoutes(parts),
    ...gateRoutes(parts),
    ...receiptRoutes(parts),
    ...memoryRoutes(parts),
    ...missionRoutes(parts),
    ...notificationRoutes(parts),
    ...userRoutes(parts),
    ...settingsRoutes(parts),
    ...modelRoutes(parts),
    ...skillRoutes(parts),
    ...usageRoutes(parts),
    openApiRoute(parts),
  ]
}

/** Built at the first request, then reused. */
function openApiRoute({ routes, about: { version } }: WebParts): Route {
  const document = loadOnce(async () => {
    const { describeRoutes } = await import('#http/openapi.ts')
    return JSON.stringify(await describeRoutes(await routes(), version))
  })
  return route({
    method: 'GET',
    path: '/api/openapi.json',
    who: 'user',
    summary: 'This OpenAPI document',
    handle: async (_call, reply) => reply.type('application/json; charset=utf-8').send(await document()),
  })
}
