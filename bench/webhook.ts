// Jobs on the webhook channel of a real service: submitted and polled until they are done; and submissions only, as fast
// as the service takes them.
import { setTimeout as pause } from 'node:timers/promises'
import type { Agent } from 'undici'
import type { Child } from './children.ts'
import { compare, type Measured, median, percentile, ratio, type Subject } from './compare.ts'
import type { Load, RunTurn } from './load.ts'
import { freePort, startDoor } from './service.ts'
import { fixed, floorLoad, startFloor, type Suite, warmUp } from './suite.ts'

const secret = 'secret-of-the-channel-in-the-benchmark'
const levels = [1, 16, 64]
const users = 50
/** The poll interval per job in flight: short enough to see an end soon, long enough not to be most of the load. */
const pollMs = 0.5
const maxPolls = 2_000

type Job = { readonly id: string; readonly status: string; readonly error?: object; readonly completed_at?: string }

export const webhook: Suite = async (bench) => {
  const { rounds, turns, warmUp: warm } = bench.scale
  const port = await freePort()
  const service = await startDoor(bench, {
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: String(port),
    HTTP_WEBHOOK_SECRET: secret,
    WEBHOOK_RATE_LIMIT: '0',
  })
  const channel: Child = { ...service, origin: `http://127.0.0.1:${port}` }
  const floor = await startFloor(bench, 'B')
  const count = (inFlight: number): number => (inFlight === 1 ? turns.single : turns.many)
  const subjects = levels.flatMap((inFlight): Subject[] => [
    {
      name: `(B) proxy + 2 inserts, ${inFlight} in flight`,
      child: floor,
      load: () => floorLoad(inFlight, count(inFlight)),
    },
    { name: `webhook, ${inFlight} in flight`, child: channel, load: () => jobLoad(inFlight, count(inFlight)) },
    {
      name: `${inFlight} in flight`,
      child: channel,
      load: () => submitLoad(inFlight, count(inFlight)),
    },
  ])
  await warmUp([
    { name: '', child: floor, load: () => floorLoad(16, warm) },
    { name: '', child: channel, load: () => jobLoad(16, warm) },
  ])
  const results = await compare(subjects, rounds)
  const of = (kind: number): Measured[] => results.filter((_, at) => at % 3 === kind)
  const [floors, jobs, submissions] = [of(0), of(1), of(2)]
  await channel.stop()
  return [
    {
      title: 'A job of 20 tokens: webhook',
      columns: ['', 'CPU ms/job', 'to (B)', 'jobs/s', 'queued p50 ms', 'queued p99 ms', 'done p50 ms', 'done p99 ms'],
      rows: jobs.flatMap((job, at) => {
        const under = floors[at] as Measured
        return [
          [under.name, ...costs(under, under), '-', '-', ...times(under.latencies)],
          [job.name, ...costs(job, under), ...times(job.firsts), ...times(job.latencies)],
        ]
      }),
    },
    {
      title: 'Submissions alone, the jobs run meanwhile and after',
      columns: ['', 'submissions/s', 'queued p50 ms', 'queued p99 ms', 'CPU ms/job'],
      rows: submissions.map((each) => [
        each.name,
        fixed(median(each.perSecond), 0),
        ...times(each.latencies),
        fixed(median(each.cpu), 3),
      ]),
    },
  ]
}

function costs(result: Measured, floor: Measured): string[] {
  return [fixed(median(result.cpu), 3), `${fixed(ratio(result, floor), 2)} x`, fixed(median(result.perSecond), 0)]
}

function times(values: readonly number[]): string[] {
  return [fixed(percentile(values, 50), 1), fixed(percentile(values, 99), 1)]
}

/** Jobs in flight, each polled until it is completed. `firstMs` is the time until the answer `queued`. */
function jobLoad(inFlight: number, turns: number): Omit<Load, 'origin'> {
  const runTurn: RunTurn = async (agent, origin, turn) => {
    const sentAt = Date.now()
    const start = performance.now()
    const id = await submit(agent, origin, turn)
    const firstMs = performance.now() - start
    const completedAt = await completed(agent, origin, { id, pollEveryMs: Math.max(1, pollMs * inFlight) })
    // By the job's own timestamp in whole milliseconds, rounded up, so that the poll interval does not matter.
    return { totalMs: completedAt + 1 - sentAt, firstMs }
  }
  return { inFlight, turns, runTurn }
}

/** Submits all jobs without waiting for them, then polls each until it is done. */
function submitLoad(inFlight: number, turns: number): Omit<Load, 'origin'> {
  const ids: string[] = []
  return {
    inFlight,
    turns,
    async runTurn(agent, origin, turn) {
      const start = performance.now()
      ids.push(await submit(agent, origin, turn))
      const firstMs = performance.now() - start
      return { totalMs: firstMs, firstMs }
    },
    async drain(agent, origin) {
      for (const id of ids) await completed(agent, origin, { id, pollEveryMs: 20 })
    },
  }
}

async function submit(agent: Agent, origin: string, turn: number): Promise<string> {
  const body = JSON.stringify({ user_id: `user-${turn % users}`, message: 'What is the capital of France, and why?' })
  const answer = (await ask(agent, `${origin}/webhook`, body)) as { job_id: string; status: string }
  if (answer.status !== 'queued') throw new Error(`a submission was answered ${answer.status}`)
  return answer.job_id
}

/** Waits until a job succeeds, and returns the time of its completion. */
async function completed(
  agent: Agent,
  origin: string,
  { id, pollEveryMs }: { id: string; pollEveryMs: number },
): Promise<number> {
  for (let polls = 0; polls < maxPolls; polls++) {
    const job = (await ask(agent, `${origin}/jobs/${id}`)) as Job
    if (job.error) throw new Error(`job ${id} failed: ${JSON.stringify(job.error)}`)
    if (job.completed_at !== undefined) return Date.parse(job.completed_at)
    await pause(pollEveryMs)
  }
  throw new Error(`job ${id} was not done in time`)
}

async function ask(agent: Agent, url: string, body?: string): Promise<unknown> {
  const { origin, pathname: path } = new URL(url)
  const answer = await agent.request({
    origin,
    path,
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-webhook-secret': secret, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`)
  return JSON.parse(text)
}
