// Gauges of the service, read when `/metrics` is requested.
import type { Metrics } from '#lib/metrics.ts'
import type { Runner } from '#turns/runner.ts'
import type { About } from '#turns/service-status.ts'
import type { TurnStore } from '#core/turn-store.ts'

export type ServiceNumbers = {
  readonly turns: Pick<TurnStore, 'count'>
  readonly runner: Pick<Runner, 'running'>
  readonly about: About
}

export function measureService(metrics: Metrics, { turns, runner, about }: ServiceNumbers): void {
  const { version, databaseBackend: database, connections } = about
  metrics.gauge({
    name: 'atrium_info',
    help: 'The version that runs and its database.',
    read: () => [{ labels: { version, database }, value: 1 }],
  })
  metrics.gauge({
    name: 'atrium_turns_active',
    help: 'Turns that have not ended, of all processes over this database; queued ones are the depth of the queue.',
    async read() {
      const { queued, running, waiting } = await turns.count(undefined)
      return Object.entries({ queued, running, waiting }).map(([status, value]) => ({ labels: { status }, value }))
    },
  })
  metrics.gauge({ name: 'atrium_turns_here', help: 'Turns that this process runs now.', read: () => runner.running })
  metrics.gauge({ name: 'atrium_connections', help: 'Open connections of the gateway.', read: connections })
}
