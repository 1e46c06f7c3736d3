// The routes of the Responses API and of chat completions. Loaded with the first request to one of them.
import { completionsRoutes } from '#doors/completions/routes.ts'
import { responsesRoutes } from '#doors/responses/routes.ts'
import { createChatLimit } from '#http/chat-rate.ts'
import type { RouteFamily } from '#http/routes.ts'
import type { DoorParts } from '#service/door-parts.ts'

export function apiFamilies({ app, config, gateway, origins, chatLimit, log }: DoorParts): RouteFamily[] {
  const { turns, threads, gates, readers, store } = app
  const { externalTools, rules, turnTimeoutSecs } = config.responses
  const shared = {
    turns,
    threads,
    readers,
    externalTools,
    turnTimeoutMs: turnTimeoutSecs * 1000,
    registered: () => app.tools().byName,
    lastCall: gateway.lastCall,
    log,
  }
  const taskLimit = createChatLimit({ limits: store.limits, perMinute: config.chatRatePerMinute, name: 'task' })
  return [
    responsesRoutes({ ...shared, rules }),
    completionsRoutes({
      ...shared,
      gates,
      foreignTools: rules.foreignTools,
      choices: () => app.models.names(),
      progress: config.completionsProgress,
      limits: { chat: chatLimit, task: taskLimit },
      origins,
    }),
  ]
}
