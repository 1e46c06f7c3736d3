// What one core carries: turns per second of a service and of a database server, by the CPU time that each takes.
import type { Child } from './children.ts'
import { median } from './compare.ts'
import { runLoad } from './load.ts'
import { spread, startPostgres, together } from './postgres.ts'
import { treeCpuOf } from './process.ts'
import { createLoad } from './responses.ts'
import { startDoor } from './service.ts'
import { waitUntilSettled } from './settled.ts'
import { fixed, type Suite } from './suite.ts'

const inFlight = 64
/** Each load is followed by a wait for the index, so there are fewer than in other suites. */
const maxRounds = 3

export const capacity: Suite = async (bench) => {
  const { turns, warmUp } = bench.scale
  const rounds = Math.min(bench.scale.rounds, maxRounds)
  const { server, startOver } = await startPostgres(bench)
  const [sqlite, one, ...two] = await Promise.all([
    startDoor(bench),
    startOver('one'),
    startOver('two'),
    startOver('two'),
  ])
  const subjects = [
    { name: 'one process over SQLite', child: sqlite, loadOf: createLoad, server: undefined },
    { name: 'one replica over PostgreSQL', child: one, loadOf: createLoad, server },
    { name: 'two replicas over PostgreSQL', child: together(two), loadOf: spread(two), server },
  ]
  try {
    for (const subject of subjects) {
      await runLoad({ origin: subject.child.origin, ...subject.loadOf(inFlight, warmUp) })
      await waitUntilSettled(() => allUsedBy(subject))
    }
    const found = subjects.map(() => ({ service: [] as number[], database: [] as number[], perSecond: [] as number[] }))
    for (let round = 0; round < rounds; round++) {
      for (const [at, subject] of subjects.entries()) {
        const before = await usedBy(subject)
        const { wallMs } = await runLoad({ origin: subject.child.origin, ...subject.loadOf(inFlight, turns.many) })
        // Threads are indexed behind the turns: that is CPU time of this subject, and not of the next one.
        await waitUntilSettled(() => allUsedBy(subject))
        const after = await usedBy(subject)
        found[at]?.service.push((after.service - before.service) / turns.many)
        found[at]?.database.push((after.database - before.database) / turns.many)
        found[at]?.perSecond.push((turns.many / wallMs) * 1_000)
      }
    }
    const rows = subjects.map(({ name, server: counted }, at) => {
      const { service = [], database = [], perSecond = [] } = found[at] ?? {}
      const databaseMs = counted ? median(database) : Number.NaN
      return [
        name,
        fixed(median(service), 2),
        fixed(1_000 / median(service), 0),
        fixed(databaseMs, 2),
        fixed(1_000 / databaseMs, 0),
        fixed(databaseMs / median(service), 2),
        fixed(median(perSecond), 0),
      ]
    })
    return [
      {
        title: `What a core carries: turns of 20 tokens at the Responses API, ${inFlight} in flight`,
        columns: [
          '',
          'service CPU ms/turn',
          'turns/s of its core',
          'database CPU ms/turn',
          'turns/s of a database core',
          'database cores per service core',
          'turns/s here, all on the same cores',
        ],
        rows,
      },
    ]
  } finally {
    await Promise.all([sqlite, one, ...two].map((each) => each.stop()))
    await server.stop()
  }
}

type Measured = { readonly child: Child; readonly server: Child | undefined }
type Used = { readonly service: number; readonly database: number }

async function usedBy({ child, server }: Measured): Promise<Used> {
  return { service: (await child.used()).cpuMs, database: server ? treeCpuOf(server.pid) : 0 }
}

async function allUsedBy(subject: Measured): Promise<number> {
  const { service, database } = await usedBy(subject)
  return service + database
}
