// A soak: the service as users run it, under mixed load at half of its capacity, looked at again and again.
import { cpSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { prepareComponent } from '#sandbox/build/prepare.ts'
import { type Program, serve } from '../../atrium.ts'
import { newHome } from '../../new-home.ts'
import { startPostgres } from '../../postgres.ts'
import { sharedEnv } from '../../replicas/replicas.ts'
import { sharedToolCache } from '../../sandbox/tool-cache.ts'
import type { Event } from '../history.ts'
import { startOutside } from '../outside.ts'
import { newPerson } from '../people.ts'
import { env as sameEnv, operatorToken, webhookOf, webhookSecret } from '../service.ts'
import { openPlace, type Place } from '../stored.ts'
import type { Person, World } from '../world.ts'
import { judgeRun, type Row, type Window } from './figures.ts'
import { operate, round } from './mix.ts'
import { runAtRate, runFlatOut } from './pace.ts'
import { createProbe, type Probe, type Sample } from './probe.ts'

export type SoakPlan = {
  readonly minutes: number
  readonly database: 'sqlite' | 'postgres'
  readonly people?: number
  /** Gets a line now and then. */
  readonly tell?: (line: string) => void
  /** More variables of the service, and what is run in place of the bundle. */
  readonly env?: Readonly<Record<string, string>>
  readonly program?: Program
  /** Ends the run: everything it started is removed, and the promise rejects. */
  readonly signal?: AbortSignal
}

export type Soaked = {
  readonly rows: readonly Row[]
  /** Operations per second: the most there were without a pause. */
  readonly capacity: number
  readonly operations: number
  readonly turns: number
  /** Answers that are documented nowhere. */
  readonly strange: readonly Extract<Event, { type: 'strange' }>[]
  readonly windows: readonly Window[]
}

/** Many: some operations wait most of their time. */
const defaultPeople = 64
/** The run is judged by windows of equal length. The first fifth is the warm-up: code is compiled, caches fill. */
const windowsInRun = 30
const warmUpWindows = 6
const samplesInWindow = 8
/** The part of the capacity that is asked for. */
const share = 0.5
const minuteMs = 60_000
/** The calibration takes a tenth of the time, within these. */
const [minCalibrationMs, maxCalibrationMs] = [1_000, 20_000]
const maxStrange = 100
const collects = `--import=${import.meta.resolve('./collect-garbage.ts')}`
/** The database of tests does without, since it does not live long. */
const postgresSettings = ['autovacuum=on']

export async function soak(plan: SoakPlan): Promise<Soaked> {
  await using opened = new AsyncDisposableStack()
  const stopped = Promise.withResolvers<never>()
  plan.signal?.addEventListener('abort', () => stopped.reject(plan.signal?.reason))
  return await Promise.race([run(plan, opened), stopped.promise])
}

async function run(plan: SoakPlan, opened: AsyncDisposableStack): Promise<Soaked> {
  const { minutes, tell = () => {}, people: count = defaultPeople } = plan
  const runMs = minutes * minuteMs
  const strange: Soaked['strange'][number][] = []
  const record = (event: Event): void => {
    if (event.type === 'strange' && strange.length < maxStrange) strange.push(event)
  }
  const { world, probe, collect } = await openService(plan, record, opened)
  const people: Person[] = []
  for (let at = 0; at < count; at++) people.push(await newPerson(world, at, at + 1))

  // Numbered through the whole run: they are the keys of repeated requests too.
  let op = 0
  const calibrationMs = Math.min(Math.max(runMs / 10, minCalibrationMs), maxCalibrationMs)
  const calibrated = performance.now()
  const capacity = await runFlatOut({
    workers: people,
    run: async (person) => void (await operate(world, person, op++)),
    // However short a run is, it does each kind of operation once.
    isOver: (begun) => performance.now() - calibrated >= calibrationMs && begun >= round.length,
  })
  tell(`capacity: ${capacity.toFixed(0)} operations per second; ${minutes} minutes at half of it`)

  let latencies: number[] = []
  const windows: Window[] = []
  const began = performance.now()
  let over = false
  const load = runAtRate(
    {
      workers: people,
      async run(person) {
        const ms = await operate(world, person, op++)
        if (ms !== undefined) latencies.push(ms)
      },
      isOver: () => performance.now() - began >= runMs,
    },
    capacity * share,
  ).finally(() => (over = true))
  const windowMs = runMs / windowsInRun
  for (let at = 0; at < windowsInRun && !over; at++) {
    collect()
    const samples = await takeSamples(probe, began + (at + 1) * windowMs, windowMs / samplesInWindow)
    const window = { at: performance.now() - began, samples, latencies }
    latencies = []
    windows.push(window)
    tell(lineOf(window, { at, windowMs }))
  }
  const operations = await load
  const rows = judgeRun(windows.slice(warmUpWindows - 1))
  const turns = (windows.at(-1)?.samples.at(-1)?.turns ?? 0) - (windows[0]?.samples[0]?.turns ?? 0)
  return { rows, capacity, operations, turns, strange, windows }
}

/** Samples until a time: at least one. */
async function takeSamples(probe: Probe, end: number, pauseMs: number): Promise<Sample[]> {
  const samples: Sample[] = []
  do {
    await sleep(Math.min(pauseMs, Math.max(0, end - performance.now())))
    samples.push(await probe())
  } while (performance.now() < end)
  return samples
}

/** Starts the service, and what it needs from outside. */
export async function openService(
  { database, env: more, program }: Pick<SoakPlan, 'database' | 'env' | 'program'>,
  record: World['record'],
  opened: AsyncDisposableStack,
): Promise<{ world: World; probe: Probe; collect: () => void }> {
  const outside = await startOutside(record)
  opened.defer(() => outside.close())
  const home = newHome()
  opened.defer(home.remove)
  const env = { ...sameEnv, ...outside.env, ATRIUM_PRIVATE_HOSTS: outside.host, NODE_OPTIONS: collects, ...more }
  await copyComponent(join(home.path, 'cache', 'tools'))
  let place: Place = { path: join(home.path, 'atrium.db') }
  if (database === 'postgres') {
    const server = await startPostgres(postgresSettings)
    opened.defer(() => server.remove())
    place = { url: await server.database() }
  }
  const serving = await serve(home.path, 'url' in place ? sharedEnv(place.url, env) : env, program)
  opened.defer(async () => {
    await serving.stop()
  })
  const site = { gateway: () => serving.url, webhook: () => webhookOf(serving) }
  const sql = openPlace(place)
  opened.defer(() => sql.close())
  const probe = createProbe({ pid: serving.pid, gateway: serving.url, token: operatorToken, place, sql })
  const collect = (): void => serving.signal('SIGUSR2')
  return { world: { site, webhookSecret, operatorToken, record }, probe, collect }
}

/** The compiled code of the component: to make it takes seconds of CPU time, and is not what is measured. */
async function copyComponent(cacheFolder: string): Promise<void> {
  const component = readFileSync(join(import.meta.dirname, '../../../tools/weather/dist/weather.wasm'))
  const { folder } = await prepareComponent(component, { cacheFolder: sharedToolCache() })
  cpSync(folder, join(cacheFolder, basename(folder)), { recursive: true })
}

function lineOf({ samples, latencies }: Window, { at, windowMs }: { at: number; windowMs: number }): string {
  const last = samples.at(-1)
  const minutes = (((at + 1) * windowMs) / minuteMs).toFixed(1)
  const mb = ((last?.rssBytes ?? Number.NaN) / 1e6).toFixed(0)
  return `${minutes} min  ${last?.turns} turns  ${mb} MB  ${last?.sockets} sockets  ${latencies.length} timed`
}
