// Few live processes: shared fairly, stopped when idle, replaced when they die.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chooseNext, createToolPool, type PoolParts, type ToolPool } from '#sandbox/supervisor/pool.ts'
import { prepareRuntime } from '#sandbox/build/runtime.ts'
import type { Job } from '#sandbox/supervisor/process.ts'
import { component, ok } from '../fixtures.ts'
import { createRig } from '../rig.ts'
import { until } from '../../until.ts'

/** A test that would hang to the deadline of a call fails earlier by this. */
const boundMs = 120_000
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

function createPool(maxProcesses: number, more: Omit<PoolParts, 'script' | 'maxProcesses'> = {}): ToolPool {
  const pool = createToolPool({ script: prepareRuntime(rig.cacheFolder), maxProcesses, ...more })
  pools.push(pool)
  return pool
}

function runs(pid: number | undefined): boolean {
  try {
    return process.kill(pid ?? 0, 0)
  } catch {
    return false
  }
}

const job: Job = {
  work: { kind: 'execute', params: '{}', secretNames: [], secretsSet: [] },
  host: () => Promise.resolve({ head: { ok: false, code: 'blocked', message: 'no', sent: false } }),
  logs: [],
  deadlineMs: 2 * boundMs,
}

test('at most so many processes live at once, and every call is answered', async () => {
  const pool = createPool(2)
  let most = 0
  const calls = Array.from({ length: 24 }, (_, at) =>
    pool.run(folders[at % 3] ?? '', job).then((result) => {
      most = Math.max(most, pool.live().length)
      return result.type
    }),
  )
  assert.deepEqual(new Set(await Promise.all(calls)), new Set(['output']))
  assert.equal(most, 2)
})

test('an idle process is used again, and stopped after a while', async () => {
  const pool = createPool(2)
  await pool.run(folders[0] ?? '', job)
  const [first] = pool.live()
  await pool.run(folders[0] ?? '', job)
  assert.equal(pool.live()[0]?.pid, first?.pid)
  const brief = createPool(2, { idleMs: 50 })
  await brief.run(folders[0] ?? '', job)
  const pids = brief.live().map(({ pid }) => pid)
  await until(() => brief.live().length === 0 && !pids.some(runs))
})

test('a process that was killed while idle is replaced without a word', async () => {
  const pool = createPool(1)
  await pool.run(folders[0] ?? '', job)
  const { pid } = pool.live()[0] ?? {}
  process.kill(pid ?? 0, 'SIGKILL')
  await until(() => !runs(pid))
  assert.equal((await pool.run(folders[0] ?? '', job)).type, 'output')
  assert.notEqual(pool.live()[0]?.pid, pid)
})

test('the idle process whose tenure began first makes room', async () => {
  const pool = createPool(2)
  const [a = '', b = '', c = ''] = folders
  const tools = () => pool.live().map(({ folder }) => folder)
  for (const folder of [a, b, c]) await pool.run(folder, job)
  assert.deepEqual(tools(), [b, c])
})

test('a call that was cancelled before it began starts nothing', async () => {
  const pool = createPool(1)
  await assert.rejects(pool.run(folders[0] ?? '', { ...job, signal: AbortSignal.abort() }), { name: 'AbortError' })
  assert.deepEqual(pool.live(), [])
})

test('a call that gives up while it waits leaves the queue', async () => {
  const pool = createPool(1)
  const running = pool.run(folders[0] ?? '', job)
  const stop = new AbortController()
  const waiting = pool.run(folders[1] ?? '', { ...job, signal: stop.signal })
  stop.abort()
  await assert.rejects(waiting, /cancelled/)
  assert.equal((await running).type, 'output')
})

test('calls beyond the queue are refused, not piled up', async () => {
  const pool = createPool(1, { maxWaiting: 1 })
  const first = pool.run(folders[0] ?? '', job)
  const second = pool.run(folders[0] ?? '', job)
  await assert.rejects(pool.run(folders[0] ?? '', job), { code: 'sandbox_unavailable' })
  await Promise.all([first, second])
})

test('a tool that holds all it may leaves a place to the others', async () => {
  const pool = createPool(2)
  const [slow = '', quick = ''] = folders
  const stop = new AbortController()
  const looping = (await rig.load(await component({ execute: `(loop $l (br $l)) ${ok}` }))).folder
  let over = 0
  const held = [1, 2, 3].map(() =>
    pool.run(looping, { ...job, signal: stop.signal }).catch(() => {
      over++
      return 'stopped'
    }),
  )
  for (const folder of [slow, quick, slow]) {
    const result = await pool.run(folder, { ...job, signal: AbortSignal.timeout(boundMs) })
    assert.equal(result.type, 'output')
  }
  assert.equal(over, 0, 'the others only had a place after one of its calls was over')
  stop.abort()
  assert.deepEqual(await Promise.all(held), ['stopped', 'stopped', 'stopped'])
})

test('calls that never cease do not starve those of another tool', async () => {
  const pool = createPool(1)
  const [greedy = '', patient = ''] = folders
  let served = false
  const callers = [1, 2].map(async () => {
    while (!served) await pool.run(greedy, job)
  })
  try {
    const result = await pool.run(patient, { ...job, signal: AbortSignal.timeout(boundMs) })
    assert.equal(result.type, 'output')
  } finally {
    served = true
    await Promise.all(callers)
  }
})

test('a call that waits too long for a process is told so, and leaves the queue', async () => {
  const pool = createPool(1, { waitMs: 100 })
  const looping = (await rig.load(await component({ execute: `(loop $l (br $l)) ${ok}` }))).folder
  const stop = new AbortController()
  const held = pool.run(looping, { ...job, signal: stop.signal }).catch(() => 'stopped')
  await assert.rejects(pool.run(folders[0] ?? '', job), {
    code: 'sandbox_unavailable',
    message: 'no tool process was free within 0.1 s; try later',
  })
  stop.abort()
  assert.equal(await held, 'stopped')
  // A process that is put to an end takes its time.
  await until(() => pool.live().length === 0)
  assert.equal((await pool.run(folders[0] ?? '', job)).type, 'output')
})

test('a process that has used up its CPU is replaced after its call', async () => {
  const frugal = createPool(1)
  const worn = createPool(1, { recycleCpuMs: 0 })
  for (const [pool, lives] of [
    [frugal, 1],
    [worn, 0],
  ] as const) {
    await pool.run(folders[0] ?? '', job)
    assert.equal(pool.live().length, lives)
  }
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

test('a process goes on with its own tool for a while, then the longest waiting call has its turn', () => {
  const queue = [{ folder: 'a' }, { folder: 'b' }, { folder: 'c' }]
  const idle = (folder: string) => ({ folder, busy: false, since: 0 })
  assert.equal(chooseNext(queue, [idle('b')], 400)?.folder, 'b')
  assert.equal(chooseNext(queue, [idle('b')], 500)?.folder, 'b')
  assert.equal(chooseNext(queue, [idle('b')], 501)?.folder, 'a')
  assert.equal(chooseNext(queue, [idle('x')], 0)?.folder, 'a')
  assert.equal(chooseNext([], [idle('a')], 0), undefined)
})

test('no process is put out while every waiting tool has one; a tool without any comes first', () => {
  const queue = [{ folder: 'a' }, { folder: 'b' }]
  const busy = { folder: 'a', busy: true, since: 0 }
  assert.equal(chooseNext(queue, [busy, { folder: 'b', busy: false, since: 0 }], 600)?.folder, 'b')
  const withC = [...queue, { folder: 'c' }]
  assert.equal(chooseNext(withC, [busy, { folder: 'b', busy: false, since: 0 }], 600)?.folder, 'c')
})

test('many calls of many tools through few processes: all are answered, without a start for each', async (t) => {
  const pool = createPool(2)
  const seen = new Set<number | undefined>()
  // On a busy machine a process would be put out after a few calls.
  let now = performance.now()
  t.mock.method(performance, 'now', () => now)
  const caller = async (folder: string): Promise<void> => {
    for (let each = 0; each < 10; each++) {
      assert.equal((await pool.run(folder, job)).type, 'output')
      now += 20
      for (const { pid } of pool.live()) seen.add(pid)
    }
  }
  await Promise.all(Array.from({ length: 12 }, (_, at) => caller(folders[at % 3] ?? '')))
  assert(seen.size > 2 && seen.size < 30, `${seen.size} processes for 120 calls`)
})
