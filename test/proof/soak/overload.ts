// Overload: how long admitted turns take at capacity and at three times of it, how the rest is refused, and how long a
// job of a user waits behind the long queue of another.
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../../../bench/compare.ts'
import { newPerson } from '../people.ts'
import { webhookSecret } from '../service.ts'
import { runFlatOut } from './pace.ts'
import { openService, type SoakPlan } from './soak.ts'

/** A run, with a service that has few places so that a small machine can fill three times as many. */
export async function runOverload({ database, seconds }: Pick<SoakPlan, 'database'> & { seconds: number }) {
  await using opened = new AsyncDisposableStack()
  const env = { TURNS_MAX_RUNNING: String(places) }
  const { world } = await openService({ database, env }, () => {}, opened)
  const tokens: string[] = []
  for (let at = 0; at < 3 * places; at++) tokens.push((await newPerson(world, at, at + 1)).token)
  const [gateway, webhook] = [world.site.gateway(), world.site.webhook()]
  return judgeOverload(await overload({ gateway, webhook, webhookSecret, places, tokens, seconds, jobs: 1_000 }))
}

type OverloadPlan = {
  readonly gateway: string
  readonly webhook: string
  readonly webhookSecret: string
  /** The places of the service: TURNS_MAX_RUNNING. */
  readonly places: number
  /** A token of each user: three times as many as places. */
  readonly tokens: readonly string[]
  readonly seconds: number
  /** Jobs that one user queues. */
  readonly jobs: number
}

type Crowd = {
  /** Milliseconds of admitted turns, and until a refusal. */
  readonly admitted: readonly number[]
  readonly refused: readonly number[]
  /** Refusals without Retry-After, and answers that are neither 200, 429 nor 503. */
  readonly wrong: number
}

export type Overloaded = {
  readonly atCapacity: Crowd
  readonly atThreeTimes: Crowd
  /** Milliseconds of single jobs while another user has a long queue. */
  readonly behindQueue: readonly number[]
}

const places = 8
const singles = 10
/** Pause between looks at a job. */
const lookMs = 5

async function overload(plan: OverloadPlan): Promise<Overloaded> {
  // The code is compiled first.
  await crowd(plan, plan.places, 0)
  const atCapacity = await crowd(plan, plan.places, 0)
  // Without regard to Retry-After, a refused client comes back after the time of a turn: three times capacity is offered.
  const atThreeTimes = await crowd(plan, 3 * plan.places, percentile(atCapacity.admitted, 50))
  await queueJobs(plan)
  const behindQueue: number[] = []
  for (let at = 0; at < singles; at++) {
    behindQueue.push(await timeOfJob(plan))
  }
  return { atCapacity, atThreeTimes, behindQueue }
}

/** The ratios that are promised, and whether they hold. */
export function judgeOverload({ atCapacity, atThreeTimes, behindQueue }: Overloaded) {
  const median = percentile(atCapacity.admitted, 50)
  const ratio = (of: readonly number[], percent: number): number =>
    percentile(of, percent) / percentile(atCapacity.admitted, percent)
  const rows = [
    { name: 'admitted at 3 x, p50', ratio: ratio(atThreeTimes.admitted, 50), max: 2 },
    { name: 'admitted at 3 x, p99', ratio: ratio(atThreeTimes.admitted, 99), max: 2 },
    // A refusal that took as long as a turn would be no early one.
    { name: 'refusal, p50', ratio: percentile(atThreeTimes.refused, 50) / median, max: 1 },
    // Its own time, and that of one other turn.
    { name: 'behind a long queue, p50', ratio: percentile(behindQueue, 50) / median, max: 2 },
  ]
  return { rows, holds: atThreeTimes.wrong + atCapacity.wrong === 0 && rows.every(({ ratio: r, max }) => r <= max) }
}

/** So many users send one message after the other. */
async function crowd(plan: OverloadPlan, users: number, pauseMs: number): Promise<Crowd> {
  const admitted: number[] = []
  const refused: number[] = []
  let wrong = 0
  const end = performance.now() + plan.seconds * 1_000
  await runFlatOut({
    workers: plan.tokens.slice(0, users),
    async run(token) {
      const { status, ms, retryAfter } = await respond(plan, token)
      if (status === 200) admitted.push(ms)
      else if ((status === 503 || status === 429) && Number(retryAfter) > 0) {
        refused.push(ms)
        await sleep(pauseMs)
      } else wrong++
    },
    isOver: (begun) => performance.now() >= end && begun >= users,
  })
  return { admitted, refused, wrong }
}

async function respond({ gateway }: OverloadPlan, token: string) {
  const began = performance.now()
  const response = await fetch(`${gateway}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', input: 'op 0 of mark-u0-end: say' }),
  })
  await response.text()
  return { status: response.status, ms: performance.now() - began, retryAfter: response.headers.get('retry-after') }
}

async function queueJobs(plan: OverloadPlan): Promise<void> {
  let left = plan.jobs
  await runFlatOut({
    workers: [1, 2, 3, 4, 5, 6, 7, 8],
    run: async () => void (await submit(plan, 'greedy')),
    isOver: () => left-- <= 0,
  })
}

/** Milliseconds from the job to its end, by the clock of the service; NaN if it was refused. */
async function timeOfJob(plan: OverloadPlan): Promise<number> {
  const id = await submit(plan, 'modest')
  for (;;) {
    const response = await fetch(`${plan.webhook}/jobs/${id}`, { headers: { 'x-webhook-secret': plan.webhookSecret } })
    const job = (await response.json()) as { created_at?: string; completed_at?: string }
    if (response.status !== 200) return Number.NaN
    if (job.completed_at !== undefined) return Date.parse(job.completed_at) - Date.parse(job.created_at ?? '')
    await sleep(lookMs)
  }
}

async function submit({ webhook, webhookSecret }: OverloadPlan, user: string): Promise<string | undefined> {
  const response = await fetch(`${webhook}/webhook`, {
    method: 'POST',
    headers: { 'x-webhook-secret': webhookSecret, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: user, message: 'op 0 of mark-u0-end: say' }),
  })
  return ((await response.json()) as { job_id?: string }).job_id
}
