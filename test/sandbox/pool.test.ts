// Few live processes: shared fairly, stopped when idle, replaced when they die.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { chooseNext, createToolPool, type ToolPool } from '#sandbox/pool.ts'
import { prepareRuntime } from '#sandbox/runtime.ts'
import type { Job } from '#sandbox/process.ts'
import { component } from './fixtures.ts'
import { createRig } from './rig.ts'

const rig = createRig()
const folders: string[] = []
const pools: ToolPool[] = []

before(async () => {
  for (const title of ['a', 'b', 'c'])
    folders.push((await rig.load(await component({ schema: `{"title":"${title}"}` }))).folder)
})
after(async () => {
  for (const pool of pools) await pool.close()
  await rig.close()
})

function createPool(maxProcesses: number, more: { idleMs?: number; maxWaiting?: number } = {}): ToolPool {
  const pool = createToolPool({ script: prepareRuntime(rig.cacheFolder), maxProcesses, ...more })
  pools.push(pool)
  return pool
}

const job: Job = {
  work: { kind: 'execute', params: '{}', secretNames: [], secretsSet: [] },
  host: () => Promise.resolve({ head: { ok: false, code: 'blocked', message: 'no', sent: false } }),
  deadlineMs: 20_000,
}

test('at most so many processes live at once, and every call is answered', async () => {
  const pool = createPool(2)
  let most = 0
  const calls = Array.from({ length: 24 }, (_, at) =>
    pool.run(folders[at % 3] ?? '', job).then(({ result }) => {
      most = Math.max(most, pool.live().length)
      return result.type
    }),
  )
  assert.deepEqual(new Set(await Promise.all(calls)), new Set(['output']))
  assert.equal(most, 2)
})

test('an idle process is used again, and stopped after a while', async () => {
  const pool = createPool(2, { idleMs: 200 })
  await pool.run(folders[0] ?? '', job)
  const [first] = pool.live()
  await pool.run(folders[0] ?? '', job)
  assert.equal(pool.live()[0]?.pid, first?.pid)
  while (pool.live().length > 0) await new Promise((done) => setTimeout(done, 20))
  assert.throws(() => readFileSync(`/proc/${first?.pid}/cmdline`, 'utf8').includes('child.mjs') || assert.fail('gone'))
})

test('a process that was killed while idle is replaced without a word', async () => {
  const pool = createPool(1)
  await pool.run(folders[0] ?? '', job)
  const { pid } = pool.live()[0] ?? {}
  process.kill(pid ?? 0, 'SIGKILL')
  await new Promise((done) => setTimeout(done, 100))
  assert.equal((await pool.run(folders[0] ?? '', job)).result.type, 'output')
  assert.notEqual(pool.live()[0]?.pid, pid)
})

test('a call that gives up while it waits leaves the queue', async () => {
  const pool = createPool(1)
  const running = pool.run(folders[0] ?? '', job)
  const stop = new AbortController()
  const waiting = pool.run(folders[1] ?? '', { ...job, signal: stop.signal })
  stop.abort()
  await assert.rejects(waiting, /cancelled/)
  assert.equal((await running).result.type, 'output')
})

test('calls beyond the queue are refused, not piled up', async () => {
  const pool = createPool(1, { maxWaiting: 1 })
  const first = pool.run(folders[0] ?? '', job)
  const second = pool.run(folders[0] ?? '', job)
  await assert.rejects(pool.run(folders[0] ?? '', job), { code: 'sandbox_unavailable' })
  await Promise.all([first, second])
})

test('closing ends every process and refuses what waits', async () => {
  const pool = createPool(1)
  const first = pool.run(folders[0] ?? '', job)
  const second = pool.run(folders[1] ?? '', job)
  const settled = Promise.allSettled([first, second])
  await pool.close()
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  await assert.rejects(pool.run(folders[0] ?? '', job), /shutting down/)
  assert.deepEqual(pool.live(), [])
})

test('a call of a tool that is already up may pass, until others have waited too long', () => {
  const queue = [
    { folder: 'a', since: 0 },
    { folder: 'b', since: 50 },
  ]
  assert.equal(chooseNext(queue, ['b'], 100)?.folder, 'b')
  assert.equal(chooseNext(queue, ['b'], 300)?.folder, 'a')
  assert.equal(chooseNext(queue, [], 100)?.folder, 'a')
  assert.equal(chooseNext([], ['a'], 0), undefined)
})
