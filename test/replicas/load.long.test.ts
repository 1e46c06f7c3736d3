// A thousand turns over several replicas: each is run once, also when a replica is killed among them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Server, startPostgres } from '../postgres.ts'
import { type CountingModel, startModel } from './model.ts'
import { killAll, type Replica, send, sqlRows, startReplicas, tally, textOf, until } from './replicas.ts'

const count = 1_000
const atOnce = 60
const takeoverMs = 20_000
const secret = 'webhook-secret'
const free = { CHAT_RATE_LIMIT: '0', WEBHOOK_RATE_LIMIT: '0', HTTP_WEBHOOK_SECRET: secret, HTTP_HOST: '127.0.0.1' }

let server: Server
before(async () => {
  server = await startPostgres()
})
after(() => server.remove())

/** Does work for every number, so many at a time. */
async function forEach(numbers: number, width: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < numbers; at = next++) await work(at)
  }
  await Promise.all(Array.from({ length: width }, worker))
}

/** Submits a job to one of the replicas until one takes it. The key makes one job of all tries. */
async function submit(replicas: readonly Replica[], at: number): Promise<string> {
  for (let attempt = 0; attempt < 40; attempt++) {
    const replica = replicas[(at + attempt) % replicas.length] as Replica
    try {
      const { status, body } = await send(`${replica.webhook}/webhook`, {
        body: { user_id: `user-${at % 50}`, message: `job ${at}`, ...(at % 3 === 0 && { conversation_id: `c${at % 30}` }) },
        headers: { 'x-webhook-secret': secret, 'idempotency-key': `job-${at}` },
      })
      if (status === 200) return String(body['job_id'])
    } catch {
      // It was killed, or is gone.
    }
    await sleep(100)
  }
  throw new Error(`job ${at} was not taken`)
}

async function allDone(url: string, withinMs: number): Promise<void> {
  await until('every turn has ended', withinMs, async () => {
    await sleep(300)
    return (await tally(url)).open === 0
  })
}

test('a thousand turns over two replicas are run once each', async (t) => {
  const url = await server.database()
  const model: CountingModel = await startModel(20)
  const replicas = await startReplicas(2, url, { ...free, ...model.env })
  t.after(async () => {
    await killAll(replicas)
    await model.close()
  })
  const began = Date.now()
  await forEach(count, atOnce, async (at) => {
    if (at % 2 === 0) {
      await submit(replicas, at / 2)
      return
    }
    const { status, body, text } = await (replicas[(at >> 1) % 2] as Replica).create({ input: `turn ${at}` })
    assert.equal(status, 200, text)
    assert.equal(textOf(body), `echo turn ${at}`)
  })
  await allDone(url, 120_000)
  t.diagnostic(`${count} turns in ${Date.now() - began} ms`)
  const { turns, once, notDone, gaps } = await tally(url)
  assert.deepEqual({ turns, once, notDone, gaps }, { turns: count, once: count, notDone: 0, gaps: 0 })
  assert.equal(model.asked.size, count)
  assert.deepEqual(
    [...model.asked].filter(([, times]) => times !== 1),
    [],
  )
})

test('one of three replicas is killed among a thousand turns: none is lost, none doubled', async (t) => {
  const url = await server.database()
  const model = await startModel(150)
  const replicas = await startReplicas(3, url, { ...free, ...model.env })
  const [doomed] = replicas as [Replica, Replica, Replica]
  t.after(async () => {
    await killAll(replicas)
    await model.close()
  })
  const jobs = new Set<string>()
  let inFlight = 0
  let takenOver: Promise<number> | undefined
  await forEach(count, atOnce, async (at) => {
    if (at === count / 2) {
      doomed.signal('SIGKILL')
      await doomed.ended
      const killedAt = Date.now()
      const left = await sqlRows(
        url,
        `SELECT t.id FROM turns t JOIN processes p ON p.owner = t.owner WHERE t.status = 'running'
         AND p.seen_at < (SELECT max(seen_at) FROM processes)`,
      )
      inFlight = left.length
      takenOver = lostTurns(url, killedAt)
    }
    jobs.add(await submit(replicas, at))
  })
  const lost = await takenOver
  await allDone(url, 120_000)
  t.diagnostic(`about ${inFlight} turns may have been cut off; the last was taken over ${lost} ms after the kill`)
  assert((lost ?? Number.POSITIVE_INFINITY) < takeoverMs, `taken over after ${lost} ms`)
  assert.equal(jobs.size, count, 'every job has an id of its own')
  const { ids, turns, once, notDone, gaps } = await tally(url)
  assert.deepEqual({ turns, once, notDone, gaps }, { turns: count, once: count, notDone: 0, gaps: 0 })
  for (const id of jobs) assert(ids.has(id), 'an acknowledged job was lost')
  const again = [...model.asked.values()].filter((times) => times > 1)
  t.diagnostic(`${again.length} messages were asked about again`)
  assert(again.length <= atOnce * 3 && again.every((times) => times === 2), 'only what was cut off is asked again')
})

/** How long after a kill the last turn of a process that is gone is taken over. */
async function lostTurns(url: string, killedAt: number): Promise<number> {
  const alive = async (): Promise<Set<unknown>> => {
    const rows = await sqlRows(
      url,
      `SELECT owner FROM processes WHERE seen_at > (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT - 6000`,
    )
    return new Set(rows.map(({ owner }) => owner))
  }
  // After six seconds without a beat it is clear who is gone.
  await sleep(Math.max(0, killedAt + 7_000 - Date.now()))
  const living = await alive()
  assert.equal(living.size, 2)
  await until('no turn is left with the killed process', 30_000, async () => {
    const rows = await sqlRows(url, `SELECT DISTINCT owner FROM turns WHERE status = 'running' AND owner IS NOT NULL`)
    return rows.every(({ owner }) => living.has(owner))
  })
  return Date.now() - killedAt
}
