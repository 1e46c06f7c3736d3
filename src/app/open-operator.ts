// The operator's client of an app that is open in this process.
import type { App } from '#app.ts'
import { createOperatorClient, type OperatorClient, type OperatorStatus } from '#turns/operator-client.ts'

export function openOperator(app: App, doors: () => OperatorStatus['doors']): OperatorClient {
  const { turns, threads, gates, documents } = app
  return createOperatorClient({
    turns,
    threads,
    gates,
    documents,
    tools: () => app.tools().byName.values(),
    policy: () => app.policy(),
    async status() {
      const { costToday } = await turns.count(undefined)
      const { provider, name: model } = app.config.model
      return { provider, model, skippedModels: app.skippedModels(), costToday, doors: doors() }
    },
  })
}
