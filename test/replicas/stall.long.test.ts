// A replica that stands still, and one that is asked to go: their turns go on elsewhere, once.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newHome } from '../new-home.ts'
import { type Server, startPostgres } from '../postgres-server.ts'
import {
  killAll,
  listen,
  type Replica,
  scripted,
  sqlRows,
  startReplicas,
  type StreamEvent,
  tally,
  textOf,
  until,
} from './replicas.ts'

const words = Array.from({ length: 60 }, (_, at) => `word${at} `)
const takeoverMs = 20_000

let server: Server
const folder = newHome()
before(async () => {
  server = await startPostgres()
})
after(async () => {
  await server.remove()
  folder.remove()
})

async function openPair(t: { after(work: () => Promise<void>): void }, chunkDelayMs: number) {
  const url = await server.database()
  const script = scripted(folder.path, [{ when: 'slowly', text: words, chunkDelayMs }, { text: 'echo {{input}}' }])
  const [one, two] = (await startReplicas(2, url, script)) as [Replica, Replica]
  t.after(() => killAll([one, two]))
  return { url, one, two }
}

/** Begins a response on a replica and waits until it has said something. */
async function begin(replica: Replica) {
  const stream = replica.stream('/api/v1/responses', { body: { model: 'm', input: 'slowly', stream: true } })
  const first = (await stream.next()).value as StreamEvent
  await stream.next()
  await stream.next()
  const { id } = first.data['response'] as { id: string }
  return { id, stream }
}

async function runnerOf(url: string): Promise<unknown> {
  return (await sqlRows(url, `SELECT owner FROM turns WHERE status = 'running'`))[0]?.['owner']
}

/** How long it takes until somebody else runs the turn. */
function takenFrom(url: string, owner: unknown): Promise<number> {
  return until('another replica runs the turn', 40_000, async () => {
    const now = await runnerOf(url)
    return now !== undefined && now !== owner
  })
}

async function finished(replica: Replica, id: string, withinMs: number): Promise<number> {
  return until(`${id} is completed`, withinMs, async () => {
    const { body } = await replica.ask(`/api/v1/responses/${id}`)
    return body['status'] === 'completed'
  })
}

test('a replica that stands still beyond its lease loses its turn, appends nothing late, and rejoins', async (t) => {
  const { url, one, two } = await openPair(t, 100)
  const { id, stream } = await begin(one)
  const here = Array.fromAsync(stream)
  const elsewhere = listen(two.stream(`/api/v1/responses/${id}?stream=true`))
  await sleep(1_000)
  const owner = await runnerOf(url)
  one.signal('SIGSTOP')
  const taken = await takenFrom(url, owner)
  t.diagnostic(`taken over ${taken} ms after the stop`)
  assert(taken < takeoverMs)
  // Awake again while the other is in the middle of the text: whatever it still writes is refused.
  await sleep(1_500)
  one.signal('SIGCONT')
  await finished(two, id, 40_000)
  // Who watched saw one attempt break off, and nothing of the other.
  const watched = await elsewhere
  assert.equal(watched.end, 'failed')
  assert.equal((watched.response['error'] as { code: string }).code, 'turn_interrupted')
  assert(words.join('').startsWith(watched.text) && watched.text !== '')
  const own = await here
  assert.equal(own.at(-1)?.type, 'failed')
  await until('it has joined again', 15_000, async () => {
    const [row] = await sqlRows(url, 'SELECT max(epoch)::int AS epoch, count(*)::int AS n FROM processes')
    return row?.['epoch'] === 2 && row['n'] === 2
  })
  await sleep(4_000)
  const shown = await one.ask(`/api/v1/responses/${id}`)
  assert.equal(textOf(shown.body), words.join(''))
  const next = await one.create({ input: 'still there?', previous_response_id: id })
  assert.equal(textOf(next.body), 'echo still there?')
  const { turns, once, notDone, gaps } = await tally(url)
  assert.deepEqual({ turns, once, notDone, gaps }, { turns: 2, once: 2, notDone: 0, gaps: 0 })
})

test('a replica that is asked to go gives its turns back, and another takes them at once', async (t) => {
  const { url, one, two } = await openPair(t, 300)
  const { id, stream } = await begin(one)
  const here = Array.fromAsync(stream).catch(() => [])
  const began = Date.now()
  const owner = await runnerOf(url)
  one.signal('SIGTERM')
  // While it drains it says so, and takes nothing.
  await until('it is not ready', 5_000, async () => {
    const ready = await one.ask('/api/ready').catch(() => ({ status: 503 }))
    return ready.status === 503
  })
  await takenFrom(url, owner)
  const took = Date.now() - began
  assert.equal(await one.ended, 0)
  t.diagnostic(`run elsewhere ${took} ms after SIGTERM, ${Date.now() - began} ms until the end of the process`)
  assert(took < 14_000, 'ten seconds of grace, then at once')
  await finished(two, id, 60_000)
  const own = await here
  if (own.length > 0) assert.equal(own.at(-1)?.type, 'failed')
  const { turns, once, notDone, gaps } = await tally(url)
  assert.deepEqual({ turns, once, notDone, gaps }, { turns: 1, once: 1, notDone: 0, gaps: 0 })
  assert.equal((await sqlRows(url, 'SELECT owner FROM processes')).length, 1)
})
