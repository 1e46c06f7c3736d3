// A soak: the service as users run it, under mixed load at half of its capacity, looked at again and again.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Program, serve, type Serving } from '../../atrium.ts'
import { newHome } from '../../new-home.ts'
import { startPostgres } from '../../postgres-server.ts'
import { sharedEnv } from '../../replicas/replicas.ts'
import { copyCode } from '../../sandbox/tool-cache.ts'
import type { Event } from '../history.ts'
import { startOutside } from '../outside.ts'
import { newPerson } from '../people.ts'
import { env as sameEnv, operatorToken, webhookOf, webhookSecret } from '../service.ts'
import { openPlace, type Place } from '../stored.ts'
import type { Person, World } from '../world.ts'
import { type Capacity, capacityLine, capacityOf, rateOf } from './capacity.ts'
import { judgeRun, type Row, type Window } from './figures.ts'
import { countMeantToFail, operate, round } from './mix.ts'
import { type Load, runAtRate, runFlatOut } from './pace.ts'
import { createProbe, type Probe, type Sample } from './probe.ts'
import { judgeSoak, type SoakVerdict } from './verdict.ts'

export type SoakPlan = {
  readonly minutes: number
  readonly database: 'sqlite' | 'postgres'
  readonly people?: number
  /** The least time of the calibration; shorter ones say nothing of the capacity. */
  readonly minCalibrationMs?: number
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
  readonly capacity: Capacity
  /** Operations per second that there were. */
  readonly rate: number
  readonly operations: number
  readonly turns: number
  /** Answers that are documented nowhere. */
  readonly strange: readonly Extract<Event, { type: 'strange' }>[]
  readonly windows: readonly Window[]
  readonly verdict: SoakVerdict
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
const [defaultMinCalibrationMs, maxCalibrationMs] = [1_000, 20_000]
const maxStrange = 100
const maxStopMs = 30_000
/** As users start it: with the limits of memory that the launcher sets. */
const launcher: Program = [join(import.meta.dirname, '../../../bin/atrium')]
const collects = `--import=${import.meta.resolve('./collect-garbage.ts')}`
/** The database of tests does without, since it does not live long. */
const postgresSettings = ['autovacuum=on']

export function soak(plan: SoakPlan): Promise<Soaked> {
  return untilAborted(plan.signal, (opened) => run(plan, opened))
}

/** Runs something. What it opened is ended in any case, also when the signal comes first: then the promise rejects. */
export async function untilAborted<T>(
  signal: AbortSignal | undefined,
  begin: (opened: AsyncDisposableStack) => Promise<T>,
): Promise<T> {
  await using opened = new AsyncDisposableStack()
  const stopped = Promise.withResolvers<never>()
  signal?.addEventListener('abort', () => stopped.reject(signal.reason))
  const running = begin(opened)
  // What it was about to do fails once everything is ended.
  running.catch(() => {})
  return await Promise.race([running, stopped.promise])
}

async function run(plan: SoakPlan, opened: AsyncDisposableStack): Promise<Soaked> {
  const { minutes, tell = () => {}, people: count = defaultPeople } = plan
  const { minCalibrationMs = defaultMinCalibrationMs } = plan
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
  const capacity = await measureCapacity(probe, {
    workers: people,
    run: async (person) => void (await operate(world, person, op++)),
    forMs: calibrationMs,
  })
  const rate = rateOf(capacity, share)
  tell(`${capacityLine(capacity)}\n${minutes} minutes at ${rate.toFixed(0)} operations per second`)

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
    rate,
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
  const reached = (operations / (performance.now() - began)) * 1_000
  const rows = judgeRun(windows.slice(warmUpWindows - 1))
  const turns = (windows.at(-1)?.samples.at(-1)?.turns ?? 0) - (windows[0]?.samples[0]?.turns ?? 0)
  const verdict = judgeSoak({
    rows,
    judged: Math.max(windows.length - warmUpWindows, 0),
    ended: await probe(),
    meantToFail: countMeantToFail(op),
    strange: strange.length,
    platform: process.platform,
  })
  return { rows, capacity, rate: reached, operations, turns, strange, windows, verdict }
}

type Calibration<Worker> = Omit<Load<Worker>, 'isOver'> & { readonly forMs: number }

/** Operations without pauses for a time, and how busy both sides were in the second half of it: the code is compiled first. */
async function measureCapacity<Worker>(
  probe: Probe,
  { workers, run: operateOnce, forMs }: Calibration<Worker>,
): Promise<Capacity> {
  const isLate = (since: number): boolean => performance.now() - since >= forMs / 2
  const warmed = performance.now()
  await runFlatOut({ workers, run: operateOnce, isOver: () => isLate(warmed) })
  const before = await probe()
  const [began, idle] = [performance.now(), performance.eventLoopUtilization()]
  // However short a run is, it does each kind of operation once.
  const isOver = (begun: number): boolean => isLate(began) && begun >= round.length
  const perSecond = await runFlatOut({ workers, run: operateOnce, isOver })
  const ms = performance.now() - began
  const clientsBusyMs = performance.eventLoopUtilization(idle).active
  const after = await probe()
  return capacityOf({
    operations: (perSecond * ms) / 1_000,
    ms,
    serviceBusyMs: after.busyMs - before.busyMs,
    clientsBusyMs,
    serviceCpuMs: after.cpuMs - before.cpuMs,
  })
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
  { database, env: more, program = launcher }: Pick<SoakPlan, 'database' | 'env' | 'program'>,
  record: World['record'],
  opened: AsyncDisposableStack,
): Promise<{ world: World; probe: Probe; collect: () => void }> {
  const home = newHome()
  opened.defer(home.remove)
  const outside = await open(
    opened,
    () => startOutside(record),
    (made) => made.close(),
  )
  const env = { ...sameEnv, ...outside.env, ATRIUM_PRIVATE_HOSTS: outside.host, NODE_OPTIONS: collects, ...more }
  // To make the code of the component takes seconds of CPU time, and is not what is measured.
  await copyCode(readFileSync(join(import.meta.dirname, '../../../tools/weather/dist/weather.wasm')), home.path)
  let place: Place = { path: join(home.path, 'atrium.db') }
  if (database === 'postgres') {
    const server = await open(
      opened,
      () => startPostgres(postgresSettings),
      (made) => made.remove(),
    )
    place = { url: await server.database() }
  }
  const serving = await open(
    opened,
    () => serve(home.path, 'url' in place ? sharedEnv(place.url, env) : env, program),
    stopWithin,
  )
  const site = { gateway: () => serving.url, webhook: () => webhookOf(serving) }
  const sql = openPlace(place)
  opened.defer(() => sql.close())
  const probe = createProbe({ pid: serving.pid, gateway: serving.url, token: operatorToken, sql })
  const collect = (): void => serving.signal('SIGUSR2')
  return { world: { site, webhookSecret, operatorToken, record }, probe, collect }
}

/** Starts something that ends with the run, also if the run ends while it starts. */
async function open<T extends object>(
  opened: AsyncDisposableStack,
  start: () => Promise<T>,
  end: (made: T) => Promise<unknown>,
): Promise<T> {
  if (opened.disposed) throw new Error('the run is over')
  const starting = start()
  opened.defer(async () => {
    const made = await starting.catch(() => undefined)
    if (made) await end(made)
  })
  return await starting
}

/** A service that leaks may not end by itself: then its table would never be shown. */
async function stopWithin(serving: Serving): Promise<void> {
  const killed = setTimeout(() => serving.signal('SIGKILL'), maxStopMs)
  await serving.stop()
  clearTimeout(killed)
}

function lineOf({ samples, latencies }: Window, { at, windowMs }: { at: number; windowMs: number }): string {
  const last = samples.at(-1)
  const minutes = (((at + 1) * windowMs) / minuteMs).toFixed(1)
  const mb = ((last?.rssBytes ?? Number.NaN) / 1e6).toFixed(0)
  return `${minutes} min  ${last?.turns} turns  ${mb} MB  ${last?.sockets} sockets  ${latencies.length} timed`
}
