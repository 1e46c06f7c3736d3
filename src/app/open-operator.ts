// The operator's client of an app that is open in this process.
import type { App } from '#app.ts'
import { operator } from '#core/ids.ts'
import type { MissionRequest } from '#missions/mission-request.ts'
import type { NotificationRequest } from '#reach/notification-request.ts'
import { createOperatorClient, type OperatorClient, type OperatorStatus } from '#turns/operator-client.ts'

/** Parts that the doors of the process add. */
export type OperatorDoors = {
  readonly doors: () => OperatorStatus['doors']
  readonly login: OperatorClient['login']
}

export function openOperator(app: App, { doors, login }: OperatorDoors): OperatorClient {
  const { turns, threads, gates, documents, skills } = app
  return createOperatorClient({
    turns,
    threads,
    gates,
    documents,
    models: app.models,
    tools: () => app.tools().byName.values(),
    policy: () => app.policy(),
    skills: async () =>
      (await skills.list(operator)).map(({ name, description, enabled, untrusted }) => {
        return { name, description, enabled, untrusted }
      }),
    // Both ends of the socket have the same types.
    missions: async (request) => {
      const { answerRequest } = await import('#missions/mission-request.ts')
      return answerRequest(await app.missions(), operator, request as MissionRequest)
    },
    notifications: async (request) => {
      const { answerRequest } = await import('#reach/notification-request.ts')
      return answerRequest(await app.notifications(), operator, request as NotificationRequest)
    },
    login,
    async status() {
      const [{ costToday }, enabled] = await Promise.all([turns.count(undefined), skills.enabled(operator)])
      const { provider, name: model } = app.config.model
      const names = enabled.map(({ name }) => name)
      return { provider, model, skippedModels: app.skippedModels(), costToday, skills: names, doors: doors() }
    },
  })
}
