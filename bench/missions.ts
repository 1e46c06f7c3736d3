// What missions cost: many that are due at once beside ordinary turns, and very many that only wait.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { userId } from '#core/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { openStore } from '#store/open-store.ts'
import { median, percentile } from './compare.ts'
import { runLoad } from './load.ts'
import { cpuOf } from './process.ts'
import { createLoad } from './responses.ts'
import { startDoor, startService } from './service.ts'
import { type Bench, fixed, type Suite } from './suite.ts'
import type { Table } from './table.ts'

/** The most writes that one commit takes. */
const batchSize = 256
/** Missions of one user. */
const perUser = 100
const turnsPerLook = 10
const yearMs = 365 * 86_400_000
const starts = 3
const sampleMs = 100

export const missions: Suite = async (bench) => [await firing(bench), await idling(bench)]

/** Ordinary turns, one at a time, beside a service that has many missions to run. */
async function firing(bench: Bench): Promise<Table> {
  const { due } = bench.scale.missions
  const home = bench.children.folder()
  await fill(home, due, Date.now())
  const plain = await startDoor(bench)
  await runLoad({ origin: plain.origin, ...createLoad(1, turnsPerLook) })
  const began = performance.now()
  const busy = await startDoor(bench, { HOME: home, ATRIUM_HOME: home })
  const before = await busy.used()
  const database = new DatabaseSync(join(home, 'atrium.db'), { readOnly: true })
  const look = database.prepare(
    'SELECT count(*) AS runs, count(*) - count(ended_at) AS open FROM mission_runs WHERE turn_id IS NOT NULL',
  )
  const [atRest, beside]: [number[], number[]] = [[], []]
  let most = 0
  const isOver = (): boolean => {
    const counts = look.get()
    most = Math.max(most, Number(counts?.['open']))
    return Number(counts?.['runs']) === due && Number(counts?.['open']) === 0
  }
  const sampling = setInterval(isOver, sampleMs)
  while (!isOver()) {
    beside.push(...(await runLoad({ origin: busy.origin, ...createLoad(1, turnsPerLook) })).latencies)
    if (atRest.length < beside.length / 4)
      atRest.push(...(await runLoad({ origin: plain.origin, ...createLoad(1, turnsPerLook) })).latencies)
  }
  const tookMs = performance.now() - began
  clearInterval(sampling)
  database.close()
  const cpuMs = (await busy.used()).cpuMs - before.cpuMs
  await Promise.all([plain.stop(), busy.stop()])
  const name = due.toLocaleString('en')
  return {
    title: `${name} missions that are due at once`,
    columns: ['', 'p50 ms', 'p99 ms', 'CPU ms/run', 'runs/s', 'most at once'],
    rows: [
      ['a turn beside no mission', fixed(percentile(atRest, 50), 1), fixed(percentile(atRest, 99), 1), '-', '-', '-'],
      [
        'a turn while they run',
        fixed(percentile(beside, 50), 1),
        fixed(percentile(beside, 99), 1),
        // The ordinary turns are in it.
        fixed(cpuMs / (due + beside.length), 2),
        fixed((due * 1000) / tookMs, 0),
        String(most),
      ],
    ],
  }
}

/** The start and the rest of a service with missions that come in a year, beside one without. */
async function idling({ children, cache, scale }: Bench): Promise<Table> {
  const [none, many] = [children.folder(), children.folder()]
  const filled = await cache()
  for (const home of [none, many]) cpSync(filled, join(home, 'cache'), { recursive: true })
  await fill(many, scale.missions.idle, Date.now() + yearMs)
  const subjects = [
    { name: 'no mission', home: none, ready: [] as number[], cpu: [] as number[], rest: [] as number[] },
    {
      name: `${scale.missions.idle.toLocaleString('en')} missions`,
      home: many,
      ready: [] as number[],
      cpu: [] as number[],
      rest: [] as number[],
    },
  ]
  for (let round = 0; round <= starts; round++) {
    for (const { home, ready, cpu, rest } of subjects) {
      const env = { HOME: home, ATRIUM_HOME: home, GATEWAY_PORT: '0', NODE_COMPILE_CACHE: join(home, 'compiled') }
      const service = await startService(children, env)
      // What a start leaves behind is over after a second.
      await pause(1_000)
      const before = cpuOf(service.child.pid ?? 0)
      await pause(scale.footprint.calmMs)
      const used = cpuOf(service.child.pid ?? 0) - before
      await service.stop()
      // The first start of a home sets things up.
      if (round === 0) continue
      ready.push(service.readyMs)
      cpu.push(service.cpuMs)
      rest.push((used * 60_000) / scale.footprint.calmMs)
    }
  }
  return {
    title: 'Missions that wait',
    columns: ['', 'ready ms', 'CPU ms to ready', 'CPU ms a minute at rest'],
    rows: subjects.map(({ name, ready, cpu, rest }) => [
      name,
      fixed(median(ready), 0),
      fixed(median(cpu), 0),
      fixed(median(rest), 0),
    ]),
  }
}

async function fill(home: string, count: number, nextAt: number): Promise<void> {
  const store = openStore({ path: join(home, 'atrium.db'), seal: createSeal('0'.repeat(64)) })
  const words = { title: 'News', prompt: 'Read the news', zone: 'UTC', missed: 'once' as const }
  const at = Math.floor(nextAt / 1000) * 1000
  const begins = Math.min(at, Math.floor(Date.now() / 1000) * 1000) - 1000
  const once = { ...words, schedule: new Date(at).toISOString(), from: begins, nextAt: at }
  for (let from = 0; from < count; from += batchSize) {
    const size = Math.min(batchSize, count - from)
    const users = Array.from({ length: size }, (_, index) => userId(`user ${Math.floor((from + index) / perUser)}`))
    await Promise.all(users.map((user) => store.missions.add(user, once, Infinity)))
  }
  await store.close()
}
