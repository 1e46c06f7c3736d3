// A thousand turns over several replicas: each is run once, also when a replica is killed among them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Server, startPostgres } from '../postgres-server.ts'
import { type CountingModel, startModel } from './model.ts'
import { killAll, type Replica, send, sqlRows, startReplica, startReplicas, tally, textOf, until } from './replicas.ts'

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
        body: {
          user_id: `user-${at % 50}`,
          message: `job ${at}`,
          ...(at % 3 === 0 && { conversation_id: `c${at % 30}` }),
        },
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

async function allDone(url: string): Promise<void> {
  await until('every turn has ended', 120_000, async () => {
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
  await allDone(url)
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
  const env = { ...free, ...model.env }
  const doomed = await startReplica(url, env)
  const [process] = await sqlRows(url, 'SELECT owner FROM processes')
  const replicas = [doomed, ...(await startReplicas(2, url, env))]
  t.after(async () => {
    await killAll(replicas)
    await model.close()
  })
  const left = async (): Promise<number> =>
    (await sqlRows(url, `SELECT id FROM turns WHERE owner = $1 AND status = 'running'`, [process?.['owner']])).length
  const jobs = new Set<string>()
  let cutOff = 0
  let takenOver: Promise<number> | undefined
  await forEach(count, atOnce, async (at) => {
    if (at === count / 2) {
      doomed.signal('SIGKILL')
      await doomed.ended
      cutOff = await left()
      takenOver = until('nothing is left with the killed process', 60_000, async () => (await left()) === 0)
    }
    jobs.add(await submit(replicas, at))
  })
  const tookMs = (await takenOver) ?? Number.POSITIVE_INFINITY
  await allDone(url)
  t.diagnostic(`${cutOff} turns were cut off; the last was taken over ${tookMs} ms after the kill`)
  assert(cutOff > 0 && tookMs < takeoverMs, `${cutOff} taken over after ${tookMs} ms`)
  assert.equal(jobs.size, count, 'every job has an id of its own')
  const { ids, turns, once, notDone, gaps } = await tally(url)
  assert.deepEqual({ turns, once, notDone, gaps }, { turns: count, once: count, notDone: 0, gaps: 0 })
  for (const id of jobs) assert(ids.has(id), 'an acknowledged job was lost')
  const again = [...model.asked.values()].filter((times) => times > 1)
  t.diagnostic(`${again.length} messages were asked about again`)
  assert(again.length <= cutOff && again.every((times) => times === 2), 'only what was cut off is asked again')
})
