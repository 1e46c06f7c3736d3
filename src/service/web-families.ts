// The routes of the web door and of its pages for tools and MCP servers. Loaded with the first request to one of them.
import { webRoutes } from '#doors/web/door.ts'
import { mcpAuthRoutes } from '#doors/web/mcp-auth-routes.ts'
import { mcpRoutes } from '#doors/web/mcp-routes.ts'
import { skillUpload } from '#doors/web/skill-routes.ts'
import { toolAccessRoutes } from '#doors/web/tool-access-routes.ts'
import { toolRoutes, trialPaths } from '#doors/web/tool-routes.ts'
import type { RouteFamily } from '#http/routes.ts'
import type { DoorParts } from '#service/door-parts.ts'

export function webFamilies({ app, config, gateway, about, sessions, origins, oidc, log }: DoorParts): RouteFamily[] {
  const { store, turns, threads, gates, documents, skills } = app
  const routes = webRoutes({
    turns,
    threads,
    gates,
    usage: store.usage,
    missionCosts: (user, days) => store.missions.costs(user, days),
    accounts: store.accounts,
    documents,
    skills,
    missions: app.missions,
    notifications: app.notifications,
    lastCall: gateway.lastCall,
    readPdf: app.readPdf,
    sessions,
    ...(oidc && config.oidc?.clientId !== undefined && { oidc }),
    authenticate: gateway.authenticate,
    limits: store.limits,
    signInsPerMinute: config.signInsPerMinute,
    clientAddress: gateway.clientAddress,
    origins,
    settings: app.settings,
    models: app.models,
    routes: () => gateway.routes(),
    about,
    log,
  })
  return [
    { routes },
    { routes: toolRoutes({ toolAdmin: app.toolAdmin, access: () => app.access() }), findExact: trialPaths },
    { routes: mcpRoutes({ mcp: app.mcp }), findExact: trialPaths },
    { routes: mcpAuthRoutes({ mcp: app.mcp, gates, origins }) },
    skillUpload({ skills }),
    { routes: toolAccessRoutes({ gates, access: () => app.access(), origins }) },
  ]
}
