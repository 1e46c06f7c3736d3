// Missions over three services whose clocks are a minute apart, and one PostgreSQL.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setTimeout as pause } from 'node:timers/promises'
import { newHome } from '../new-home.ts'
import { startPostgres } from '../postgres-server.ts'
import { killAll, newUser, type Replica, scripted, sqlRows, startReplica, until } from './replicas.ts'

const shiftsMs = [-60_000, 0, 60_000] as const
const preload = pathToFileURL(join(import.meta.dirname, 'shift-clock.ts')).href
const spreadSecs = 6

type Created = { readonly id: string; readonly next_runs: readonly string[] }

/**
 * Each round creates missions that come within seconds; replicas are killed meanwhile, one for each of `kills`, and
 * started again. Each instant has one row and one turn.
 */
export async function fireOnReplicas({ missions, kills }: { missions: number; kills: number }): Promise<void> {
  const server = await startPostgres()
  const folder = newHome()
  const replicas: Replica[] = []
  try {
    const url = await server.database()
    const env = { ...scripted(folder.path, [{ text: 'Done.' }]), CHAT_RATE_LIMIT: '0' }
    const start = (shift: number): Promise<Replica> =>
      startReplica(url, {
        ...env,
        NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${preload}`,
        TEST_CLOCK_SHIFT_MS: String(shift),
      })
    // One after the other: the first one makes the tables.
    for (const shift of shiftsMs) replicas.push(await start(shift))
    const token = await newUser(at(replicas, 0), 'planner')
    const created: Created[] = []
    for (let round = 0; round <= kills; round++) {
      for (let count = 0; count < missions; count++) {
        const schedule = `in ${2 + (count % spreadSecs)} seconds`
        const body = { prompt: 'Say so', schedule, zone: 'UTC' }
        const answer = await at(replicas, count).ask('/api/missions', { token, body })
        assert.equal(answer.status, 201, answer.text)
        created.push(answer.body as Created)
      }
      if (round === kills) break
      await pause(1_500 + ((round * 700) % 4_000))
      const victim = round % replicas.length
      await killAll([at(replicas, victim)])
      replicas[victim] = await start(shiftsMs[victim] ?? 0)
    }
    // A replica that is gone is noticed when its lease ends, after 12 seconds.
    await until('every run has ended', 120_000, async () => {
      const { body } = await at(replicas, 1).ask('/api/missions', { token })
      const all = body['missions'] as { last_run?: { outcome: string | null } }[]
      return all.length === created.length && all.every(({ last_run: last }) => last?.outcome === 'ok')
    })
    const runs = await sqlRows(url, 'SELECT mission_id, nominal_at, turn_id FROM mission_runs ORDER BY mission_id')
    const planned = created.map(({ id, next_runs: [next = ''] }) => `${id} ${Date.parse(next)}`)
    assert.deepEqual(runs.map((row) => [row['mission_id'], row['nominal_at']].join(' ')).sort(), planned.sort())
    const turns = await sqlRows(url, 'SELECT id FROM turns')
    assert.deepEqual(turns.map(({ id }) => String(id)).sort(), runs.map((row) => String(row['turn_id'])).sort())
  } finally {
    await killAll(replicas)
    await server.remove()
    folder.remove()
  }
}

function at(replicas: readonly Replica[], index: number): Replica {
  return replicas[index % replicas.length] ?? assert.fail('no replica')
}
