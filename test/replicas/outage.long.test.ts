// PostgreSQL goes away under load and comes back: nobody is lied to, nothing is lost or doubled, nobody has to help.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newHome } from '../new-home.ts'
import { type Server, startPostgres } from '../postgres-server.ts'
import {
  killAll,
  newUser,
  type Replica,
  scripted,
  send,
  sqlRows,
  startReplicas,
  tally,
  textOf,
  until,
} from './replicas.ts'

const secret = 'webhook-secret'
const free = { CHAT_RATE_LIMIT: '0', WEBHOOK_RATE_LIMIT: '0', HTTP_WEBHOOK_SECRET: secret, HTTP_HOST: '127.0.0.1' }
const words = Array.from({ length: 100 }, (_, at) => `word${at} `)
const awayMs = 5_000
const recoveryMs = 15_000

let server: Server
let running = true
const folder = newHome()
before(async () => {
  server = await startPostgres()
})
after(async () => {
  if (!running) await server.start()
  await server.remove()
  folder.remove()
})

test('PostgreSQL is stopped for five seconds under load', async (t) => {
  const url = await server.database()
  const script = scripted(folder.path, [{ when: 'slowly', text: words, chunkDelayMs: 120 }, { text: 'echo {{input}}' }])
  const replicas = (await startReplicas(2, url, { ...free, ...script })) as [Replica, Replica]
  t.after(() => killAll(replicas))
  const token = await newUser(replicas[0], 'ann')

  // Turns that are in the middle of their text when the database goes, and still talk when it is back.
  const slow = Array.from({ length: 6 }, (_, at) =>
    (replicas[at % 2] as Replica).create({ input: `slowly ${at}` }, { token }),
  )
  let stopped = false
  let acknowledged = 0
  let refused = 0
  const strange: string[] = []
  /** Sends until it is told to end; what is refused is sent again under the same key, as a client would. */
  async function load(worker: number): Promise<void> {
    for (let at = 0; !stopped; at++) {
      for (let attempt = 0; ; attempt++) {
        const replica = replicas[(worker + attempt) % 2] as Replica
        const input = `message ${worker}-${at}`
        const { status, body, text } = await replica.create({ input }, { token, headers: { 'idempotency-key': input } })
        if (status === 200 && body['status'] === 'completed') {
          assert.equal(textOf(body), `echo ${input}`)
          acknowledged++
          break
        }
        refused++
        if (status !== 503) strange.push(`${status} ${text}`)
        await sleep(200)
      }
    }
  }
  const loads = Array.from({ length: 8 }, (_, worker) => load(worker))
  await sleep(1_500)

  const goneAt = Date.now()
  running = false
  await server.stop()
  for (const replica of replicas) {
    const noticed = await until('the gateway refuses every token', 4_000, async () => {
      const answers = await Promise.all([replica.ask('/api/status'), replica.ask('/api/status', { token })])
      return answers.every(({ status, text }) => status === 503 && text === 'Database unavailable')
    })
    t.diagnostic(`noticed ${Date.now() - goneAt} ms after the stop (looked for ${noticed} ms)`)
    const [posted, wrong, none, ready, health, hook] = await Promise.all([
      replica.create({ input: 'hello' }),
      replica.ask('/api/status', { token: 'no-such-token' }),
      fetch(`${replica.url}/api/status`),
      replica.ask('/api/ready'),
      replica.ask('/api/health'),
      send(`${replica.webhook}/webhook`, {
        body: { user_id: 'u', message: 'hello' },
        headers: { 'x-webhook-secret': secret },
      }),
    ])
    assert.deepEqual([posted.status, posted.text], [503, 'Database unavailable'])
    assert.deepEqual([wrong.status, wrong.text], [503, 'Database unavailable'])
    assert.equal(none.status, 401)
    assert.equal(ready.status, 503)
    assert.deepEqual([health.status, health.body['status']], [200, 'ok'])
    assert.equal(hook.status, 503)
    assert(Number(hook.headers.get('retry-after')) >= 1)
  }
  await sleep(Math.max(0, goneAt + awayMs - Date.now()))
  await server.start()
  running = true
  const backAt = Date.now()
  for (const replica of replicas) {
    await until('it takes work again', recoveryMs, async () => {
      const [ready, made] = await Promise.all([replica.ask('/api/ready'), replica.create({ input: 'back?' })])
      return ready.status === 200 && made.status === 200
    })
  }
  t.diagnostic(`both take work ${Date.now() - backAt} ms after the return`)
  await sleep(2_000)
  stopped = true
  await Promise.all(loads)
  for (const [at, answer] of (await Promise.all(slow)).entries()) {
    assert.equal(answer.status, 200, answer.text)
    assert.equal(textOf(answer.body), words.join(''), `slow turn ${at}: ${answer.text}`)
  }
  t.diagnostic(`${acknowledged} messages were answered, ${refused} refused`)
  await until('nothing is left open', 30_000, async () => (await tally(url)).open === 0)
  const { turns, once, notDone, gaps } = await tally(url)
  // What was refused may have been stored all the same, once; what was answered certainly is.
  assert(turns >= acknowledged + slow.length)
  assert.deepEqual({ once, notDone, gaps }, { once: turns, notDone: 0, gaps: 0 })
  assert.deepEqual(strange, [])
  const live = await Promise.all(replicas.map((replica) => replica.ask('/api/ready')))
  assert.deepEqual(
    live.map(({ status }) => status),
    [200, 200],
  )
})

test('a replica that is asked to go while the database is away still goes', async (t) => {
  const url = await server.database()
  const script = scripted(folder.path, [{ text: 'echo {{input}}' }])
  const [one] = (await startReplicas(1, url, { ...free, ...script })) as [Replica]
  t.after(() => killAll([one]))
  await one.create({ input: 'hello' })
  // What the first start does on the side is another matter.
  await until('the first start is over', 20_000, async () => {
    const rows = await sqlRows(url, `SELECT name FROM settings WHERE name = 'default_tools'`)
    return rows.length > 0
  })
  running = false
  await server.stop()
  await sleep(500)
  const began = Date.now()
  assert.equal(await one.stop(), 0)
  t.diagnostic(`gone after ${Date.now() - began} ms`)
  assert(Date.now() - began < 25_000)
  await server.start()
  running = true
})
