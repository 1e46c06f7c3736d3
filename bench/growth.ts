// The cost of a large database: a million threads and a long queue, and how long other requests wait meanwhile.
import { join } from 'node:path'
import { newId, operator, type UserId, userId } from '#core/ids.ts'
import { type Draft, textMessage } from '#core/item.ts'
import type { Store } from '#core/store.ts'
import { noUsage } from '#core/turn.ts'
import { createSeal } from '#lib/seal.ts'
import { openStore } from '#store/open-store.ts'
import { percentile } from './compare.ts'
import { matchRow } from './completions.ts'
import { startDoor, token } from './service.ts'
import { fixed, type Suite } from './suite.ts'

/** The most writes that one commit takes. */
const batchSize = 256
const users = 1_000
const samples = 20
/** The number of turns that the service claims at a time. */
const claimLimit = 64
const healthPauseMs = 10
const lease = { owner: 'growth', epoch: 1 }

export const growth: Suite = async (bench) => {
  const { threads, queued } = bench.scale.growth
  const home = bench.children.folder()
  const store = openStore({ path: join(home, 'atrium.db'), seal: createSeal('0'.repeat(64)) })
  await inBatches(threads, (at) => oldThread(store, at % 10 === 0 ? operator : userId(`user ${at % users}`), at))
  const rows = [await claimRow(store, 1, () => store.turns.start(turnOf(operator)))]
  await inBatches(queued + samples * claimLimit, () => store.turns.start({ ...turnOf(operator), door: 'webhook' }))
  rows.push(await claimRow(store, claimLimit))
  rows.push([...(await matchRow(store, 500, 'find the thread of 500 messages')), '-'])
  await store.close()
  const began = performance.now()
  const door = await startDoor(bench, { HOME: home, ATRIUM_HOME: home })
  const before = await door.used()
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(door.origin + path, {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })
  const health = watchHealth(() => ask('/api/health'))
  while (((await (await ask('/api/status')).json()) as { active_jobs: number }).active_jobs > 0) await pause(50)
  const queueMs = performance.now() - began
  const cpuMs = (await door.used()).cpuMs - before.cpuMs
  const whileQueued = await health.worst()
  const measure = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const watch = watchHealth(() => ask('/api/health'))
    const times: number[] = []
    for (let at = 0; at < samples; at++) {
      const start = performance.now()
      await work()
      times.push(performance.now() - start)
    }
    const [p50, max] = [percentile(times, 50), Math.max(...times)]
    rows.push([name, fixed(p50, 2), fixed(max, 2), fixed(await watch.worst(), 2)])
  }
  const read = async (path: string): Promise<unknown> => (await ask(path)).json()
  const [one] = ((await read('/api/threads?limit=1')) as { threads: { id: string }[] }).threads
  await measure('create', () => ask('/api/chat', { method: 'POST', body: JSON.stringify({ message: 'hello' }) }))
  await measure('retrieve a thread', () => read(`/api/threads/${one?.id}`))
  await measure('list threads', () => read('/api/threads?limit=100'))
  for (const status of ['completed', 'failed', 'cancelled', 'queued', 'waiting'])
    await measure(`list jobs, ${status}`, () => read(`/api/jobs?limit=100&status=${status}`))
  await measure('status', () => read('/api/status'))
  await measure('delete a thread', async () => {
    const page = (await read('/api/threads?limit=1')) as { threads: { id: string }[] }
    await ask(`/api/threads/${page.threads[0]?.id}`, { method: 'DELETE' })
  })
  const many = threads.toLocaleString('en')
  return [
    { title: `Verbs over ${many} threads`, columns: ['', 'p50 ms', 'max ms', 'worst health ms'], rows },
    {
      title: `${queued.toLocaleString('en')} queued jobs over ${many} threads`,
      columns: ['', 'jobs/s', 'CPU ms/job', 'worst health ms'],
      rows: [
        [
          'claimed and run, the start of the service included',
          fixed((queued * 1000) / queueMs, 0),
          fixed(cpuMs / queued, 2),
          fixed(whileQueued, 2),
        ],
      ],
    },
  ]
}

async function inBatches(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += batchSize)
    await Promise.all(Array.from({ length: Math.min(batchSize, count - from) }, (_, at) => work(from + at)))
}

/** Times claims in this process and completes the claimed turns. `before` runs before each claim and is not timed. */
async function claimRow(store: Store, limit: number, before?: () => Promise<unknown>): Promise<string[]> {
  const times: number[] = []
  for (let at = 0; at < samples; at++) {
    await before?.()
    const start = performance.now()
    const { started } = await store.turns.claim(lease, limit)
    times.push(performance.now() - start)
    const done = { drafts: [], usage: noUsage, outcome: { status: 'completed' as const } }
    await Promise.all(started.map(({ turn }) => store.turns.record(turn, lease, done)))
  }
  const name = limit === 1 ? 'claim the one that is queued' : `claim ${limit} of a long queue`
  return [name, fixed(percentile(times, 50), 2), fixed(Math.max(...times), 2), '-']
}

/** Writes a thread of two turns. Of a hundred threads, one failed and one was cancelled. */
async function oldThread(store: Store, user: UserId, at: number): Promise<void> {
  const first = await store.turns.start({ ...turnOf(user), options: { chain: `history ${at}` }, lease })
  const { threadId } = first.turn
  const drafts = [draft('assistant', 'some word '.repeat(60))]
  await store.turns.record(first.turn, lease, { drafts, usage: noUsage, outcome: { status: 'completed' } })
  const { turn } = await store.turns.start({ ...turnOf(user), threadId, lease })
  const error = { code: 'model_failed' as const, message: 'it failed' }
  const outcome =
    at % 100 === 0
      ? { status: 'failed' as const, error }
      : { status: at % 100 === 50 ? ('cancelled' as const) : ('completed' as const) }
  await store.turns.record(turn, lease, { drafts: [draft('assistant', 'yes')], usage: noUsage, outcome })
}

function turnOf(user: UserId) {
  const input = [draft('user', 'What is the capital of France, and why?')]
  return { user, door: 'web' as const, title: 'a thread', input, options: {}, whenBusy: 'queue' as const }
}

function draft(role: 'user' | 'assistant', text: string): Draft {
  return { id: newId(), item: textMessage(role, text) }
}

/** Polls the service's health continuously. The slowest reply shows how long any request had to wait. */
function watchHealth(ask: () => Promise<Response>): { worst(): Promise<number> } {
  let running = true
  let max = 0
  const done = (async () => {
    while (running) {
      const start = performance.now()
      await (await ask()).text()
      max = Math.max(max, performance.now() - start)
      await pause(healthPauseMs)
    }
  })()
  return {
    async worst() {
      running = false
      await done
      return max
    },
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
