// Overload: how long admitted turns take at capacity and at three times of it, how the rest is refused, and how long a
// job of a user waits behind the long queue of another.
import { setTimeout as sleep } from 'node:timers/promises'
import { median, percentile } from '../../../bench/compare.ts'
import { newPerson } from '../people.ts'
import { webhookSecret } from '../service.ts'
import type { World } from '../world.ts'
import { type Crowd, crowd } from './crowd.ts'
import { runFlatOut } from './pace.ts'
import { openService, type SoakPlan, untilAborted } from './soak.ts'

export type OverloadPlan = Pick<SoakPlan, 'database' | 'signal'> & {
  /** The time at capacity, and at three times of it. */
  readonly seconds: number
}

export type Round = { readonly atCapacity: Crowd; readonly atThreeTimes: Crowd }

export type Overloaded = {
  readonly rounds: readonly Round[]
  /** Milliseconds of single jobs while another user has a long queue. */
  readonly behindQueue: readonly number[]
}

/** Users who are alone with the service: the time of a turn, and its share of the event loop, are taken from them. */
const fewUsers = 4
/** The share of its time for which the event loop is to be busy when all places are taken. Refusals need some of the rest. */
const maxBusy = 0.8
const minPlaces = 4
const maxPlaces = 500
/** Parts of the time, each at capacity and at three times of it: what else the machine does meets both alike. */
const rounds = 5
const queuedJobs = 1_000
const singles = 10
/** Pause between looks at a job, and how long it may take: one that never ends proves that the promise does not hold. */
const lookMs = 5
const maxJobMs = 120_000

export async function runOverload(plan: OverloadPlan) {
  const places = await untilAborted(plan.signal, (opened) => findPlaces(plan, opened))
  const overloaded = await untilAborted(plan.signal, (opened) => overload(plan, places, opened))
  return { places, ...judgeOverload(overloaded) }
}

/** As many turns at once as the event loop has time for. */
async function findPlaces({ database, seconds }: OverloadPlan, opened: AsyncDisposableStack): Promise<number> {
  const { world, probe } = await openService({ database }, () => {}, opened)
  const few = { gateway: world.site.gateway(), tokens: await newTokens(world, fewUsers), seconds, pauseMs: 0 }
  // The code is compiled first.
  await crowd(few)
  const before = await probe()
  const { admitted } = await crowd(few)
  const after = await probe()
  return placesFor(percentile(admitted, 50), (after.busyMs - before.busyMs) / admitted.length)
}

/** The turns that fill the event loop: each takes so long, and keeps the loop busy for so much of it. */
export function placesFor(turnMs: number, busyMs: number): number {
  return Math.min(Math.max(Math.floor((maxBusy * turnMs) / busyMs), minPlaces), maxPlaces)
}

async function newTokens(world: World, count: number): Promise<string[]> {
  const tokens: string[] = []
  for (let at = 0; at < count; at++) tokens.push((await newPerson(world, at, at + 1)).token)
  return tokens
}

async function overload(
  { database, seconds }: OverloadPlan,
  places: number,
  opened: AsyncDisposableStack,
): Promise<Overloaded> {
  const env = { TURNS_MAX_RUNNING: String(places) }
  const { world } = await openService({ database, env }, () => {}, opened)
  const tokens = await newTokens(world, 3 * places)
  const gateway = world.site.gateway()
  const atCapacity = { gateway, tokens: tokens.slice(0, places), seconds: seconds / rounds, pauseMs: 0 }
  // The code is compiled first.
  await crowd({ ...atCapacity, seconds })
  const measured: Round[] = []
  for (let at = 0; at < rounds; at++) {
    const first = await crowd(atCapacity)
    const pauseMs = percentile(first.admitted, 50)
    measured.push({ atCapacity: first, atThreeTimes: await crowd({ ...atCapacity, tokens, pauseMs }) })
  }
  await queueJobs(world.site)
  const behindQueue: number[] = []
  // The verdict stands with the first that does not end.
  while (behindQueue.length < singles && !behindQueue.some(Number.isNaN)) behindQueue.push(await timeOfJob(world.site))
  return { rounds: measured, behindQueue }
}

/** The ratios that are promised, each the median of the rounds, and whether they hold. One without a value does not. */
export function judgeOverload({ rounds: measured, behindQueue }: Overloaded) {
  const ofRounds = (ratio: (round: Round) => number): number => median(measured.map(ratio))
  const slower = (percent: number): number =>
    ofRounds(
      ({ atCapacity, atThreeTimes }) =>
        percentile(atThreeTimes.admitted, percent) / percentile(atCapacity.admitted, percent),
    )
  const turnMs = percentile(
    measured.flatMap(({ atCapacity }) => atCapacity.admitted),
    50,
  )
  const rows = [
    { name: 'admitted at 3 x, p50', ratio: slower(50), max: 2 },
    { name: 'admitted at 3 x, p99', ratio: slower(99), max: 2 },
    // A refusal that took as long as a turn would be no early one.
    {
      name: 'refusal, p50',
      ratio: ofRounds(
        ({ atCapacity, atThreeTimes }) => percentile(atThreeTimes.refused, 50) / percentile(atCapacity.admitted, 50),
      ),
      max: 1,
    },
    // Its own time, and that of one other turn.
    { name: 'behind a long queue, p50', ratio: percentile(behindQueue, 50) / turnMs, max: 2 },
  ]
  const wrong = measured.reduce((sum, { atCapacity, atThreeTimes }) => sum + atCapacity.wrong + atThreeTimes.wrong, 0)
  return { rows, holds: wrong === 0 && rows.every(({ ratio, max }) => ratio <= max) }
}

async function queueJobs(site: World['site']): Promise<void> {
  let left = queuedJobs
  await runFlatOut({
    workers: [1, 2, 3, 4, 5, 6, 7, 8],
    run: async () => void (await submit(site, 'greedy')),
    isOver: () => left-- <= 0,
  })
}

/** Milliseconds from the job to its end, by the clock of the service; NaN if it failed, cannot be read or is late. */
export async function timeOfJob(site: Pick<World['site'], 'webhook'>, withinMs = maxJobMs): Promise<number> {
  const late = AbortSignal.timeout(withinMs)
  try {
    const url = `${site.webhook()}/jobs/${await submit(site, 'modest', late)}`
    for (;;) {
      const response = await fetch(url, { headers: { 'x-webhook-secret': webhookSecret }, signal: late })
      const job = (await response.json()) as { created_at?: string; completed_at?: string; error?: object }
      if (response.status !== 200 || job.error !== undefined) return Number.NaN
      if (job.completed_at !== undefined) return Date.parse(job.completed_at) - Date.parse(job.created_at ?? '')
      await sleep(lookMs, undefined, { signal: late })
    }
  } catch (error) {
    if (late.aborted) return Number.NaN
    throw error
  }
}

/** Returns the id of the job. Throws if the job is refused: a queue that is shorter than it should be proves nothing. */
async function submit(
  site: Pick<World['site'], 'webhook'>,
  user: string,
  late = AbortSignal.timeout(maxJobMs),
): Promise<string> {
  const response = await fetch(`${site.webhook()}/webhook`, {
    method: 'POST',
    headers: { 'x-webhook-secret': webhookSecret, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: user, message: 'op 0 of mark-u0-end: say' }),
    signal: late,
  })
  return jobIdOf(response.status, await response.text())
}

export function jobIdOf(status: number, text: string): string {
  const id = status === 200 ? (JSON.parse(text) as { job_id?: unknown }).job_id : undefined
  if (typeof id !== 'string') throw new Error(`the webhook took no job: it answered ${status} ${text.slice(0, 200)}`)
  return id
}
