// The Responses API on PostgreSQL compared with SQLite, and two replicas on one database that take turns. CPU time is
// that of the services only, without the database server.
import type { Child } from './children.ts'
import type { Load, RunTurn } from './load.ts'
import { createLoad } from './responses.ts'
import { startDoor } from './service.ts'
import type { Bench, Suite } from './suite.ts'
import { againstFloors } from './turns.ts'

const masterKey = 'ab'.repeat(32)

export const postgres: Suite = async (bench) => {
  const { server, startOver } = await startPostgres(bench)
  const services = await Promise.all([startDoor(bench), startOver('one'), startOver('two'), startOver('two')])
  const [sqlite, one, ...two] = services
  try {
    return await againstFloors(bench, 'Responses API over PostgreSQL', [
      { name: 'SQLite', child: sqlite, loadOf: createLoad },
      { name: 'PostgreSQL', child: one, loadOf: createLoad },
      { name: 'PostgreSQL, 2 replicas', child: together(two), loadOf: spread(two) },
    ])
  } finally {
    await Promise.all(services.map((each) => each.stop()))
    await server.stop()
  }
}

/** A database server, and what starts a service over one of its databases, `one` and `two`. */
export async function startPostgres(
  bench: Bench,
): Promise<{ server: Child; startOver: (database: 'one' | 'two') => Promise<Child> }> {
  const server = await bench.children.startTidy(import.meta.resolve('./postgres-server.ts'), 'one', 'two')
  const startOver = (database: string): Promise<Child> =>
    startDoor(bench, { DATABASE_URL: `${server.origin}/${database}`, ATRIUM_MASTER_KEY: masterKey })
  return { server, startOver }
}

/** Several replicas as one child that reports their total use. */
export function together(replicas: readonly Child[]): Child {
  const [first] = replicas as [Child, ...Child[]]
  return {
    ...first,
    async used() {
      const all = await Promise.all(replicas.map((each) => each.used()))
      return {
        cpuMs: all.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
        rssBytes: all.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
      }
    },
  }
}

/** A load whose turns go to the replicas in rotation. */
export function spread(replicas: readonly Child[]): (inFlight: number, turns: number) => Omit<Load, 'origin'> {
  return (inFlight, turns) => {
    const load = createLoad(inFlight, turns)
    const runTurn: RunTurn = (agent, origin, turn) =>
      load.runTurn(agent, replicas[turn % replicas.length]?.origin ?? origin, turn)
    return { ...load, runTurn }
  }
}
