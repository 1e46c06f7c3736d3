// When conversations are erased by their age, and by which process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userId } from '#core/ids.ts'
import type { PastPart, PastThreads } from '#core/past-threads.ts'
import { silentLog } from '#lib/log.ts'
import { dayMs } from '#core/time.ts'
import { pruneSome, watchRetention } from '#turns/retention.ts'
import { createJobClock } from './job-clock.ts'

const user = userId('ada')
const next: PastThreads = { user, archived: false, turn: '' }
const part = (threads: number, more: boolean): PastPart => ({
  erased: { threads, turns: 2 * threads, items: 3 * threads },
  threadIds: threads > 0 ? [`thread ${threads}`] : [],
  ...(threads > 0 && { user }),
  ...(more && { next }),
})

type Times = { readonly ours?: boolean; readonly databaseTime?: (now: number) => number }

function watch(days: number, parts: PastPart[], { ours = true, databaseTime }: Times = {}) {
  const { clock, elapsed, now, ...rest } = createJobClock(1_000 * dayMs)
  const asked: [before: number, next: PastThreads | undefined][] = []
  const changed: string[] = []
  const unindexed: string[] = []
  const stop = watchRetention({
    store: {
      threads: {
        erasePast(before, how) {
          asked.push([(now() - before) / dayMs, how?.next])
          return Promise.resolve(parts.shift() ?? part(0, false))
        },
      },
      threadIndex: {
        erase: (ids) => {
          unindexed.push(ids.join(' '))
          return Promise.resolve(unindexed.length === 1)
        },
      },
      leases: { takeDuty: () => Promise.resolve(ours), databaseTime: () => Promise.resolve(databaseTime?.(now())) },
    },
    bus: { publishChange: (of) => void changed.push(of.userId) },
    lease: { owner: 'one' },
    clock,
    elapsed,
    retentionDays: () => days,
    log: silentLog,
  })
  return { ...rest, asked, changed, unindexed, stop, now }
}

test('conversations older than the setting are erased soon after the start, and a day later again', async () => {
  const { asked, changed, unindexed, jobs, look, now } = watch(30, [part(100, true), part(3, true), part(0, false)])
  await look()
  assert.deepEqual(asked, [
    [30, undefined],
    [30, next],
    [30, next],
  ])
  assert.deepEqual(changed, ['ada', 'ada'])
  assert.deepEqual(unindexed, ['thread 100', 'thread 100', 'thread 3'], 'their words leave the index with them')
  assert.deepEqual(
    jobs.map(({ time }) => time - now()),
    [dayMs],
  )
  await look()
  assert.equal(asked.length, 4)
})

test('without the setting, or without the duty, nothing is erased; it is looked at again', async () => {
  for (const [{ asked, jobs, look, now }, laterMs] of [
    [watch(0, []), dayMs],
    // The process with the duty may be gone at any time.
    [watch(30, [], { ours: false }), 15_000],
  ] as const) {
    await look()
    assert.equal(asked.length, 0)
    assert.deepEqual(
      jobs.map(({ time }) => time - now()),
      [laterMs],
    )
  }
})

test('a clock that is set forward erases nothing for an hour', async () => {
  const { asked, jobs, look, now, setForward } = watch(30, [])
  await look()
  assert.equal(asked.length, 1)
  setForward(400 * dayMs)
  await look()
  assert.equal(asked.length, 1)
  assert.deepEqual(
    jobs.map(({ time }) => time - now()),
    [60 * 60_000],
  )
  await look()
  assert.deepEqual(asked.at(-1), [30, undefined], 'then it is taken for the time')
})

test('a clock that is set back, or forward by minutes, erases as usual', async () => {
  for (const ms of [-10 * dayMs, 60_000]) {
    const { asked, look, setForward } = watch(30, [])
    await look()
    setForward(ms)
    await look()
    assert.equal(asked.length, 2, `${ms} ms`)
  }
})

test('a replica whose clock is ahead of the database erases by the clock of that', async () => {
  const { asked, look } = watch(30, [], { databaseTime: (now) => now - 5 * dayMs })
  await look()
  assert.deepEqual(asked, [[35, undefined]])
  const behind = watch(30, [], { databaseTime: (now) => now + 5 * dayMs })
  await behind.look()
  assert.deepEqual(behind.asked, [[30, undefined]])
})

test('a process that ends goes on with nothing', async () => {
  const { asked, jobs, look, stop } = watch(30, [part(1, true)])
  stop()
  await look()
  assert.deepEqual([asked.length, jobs.length], [0, 0])
})

test('a dry run counts, and tells nobody', async () => {
  const told: string[] = []
  const store = {
    threads: { erasePast: () => Promise.resolve({ ...part(7, false), threadIds: [] }) },
    threadIndex: { erase: () => Promise.reject(new Error('nothing was erased')) },
  }
  const bus = { publishChange: (): void => void told.push('changed') }
  const found = await pruneSome({ store, bus }, { before: 0, dryRun: true })
  assert.deepEqual([found, told], [{ threads: 7, turns: 14, items: 21 }, []])
})

test('what was erased before a fault is counted, and whoever goes on meets the fault', async () => {
  const parts: PastPart[] = [part(2, true), part(3, true)]
  const erasePast = (): Promise<PastPart> => {
    const found = parts.shift()
    return found ? Promise.resolve(found) : Promise.reject(new Error('the disk is full'))
  }
  const store = { threads: { erasePast }, threadIndex: { erase: () => Promise.resolve(false) } }
  assert.deepEqual(await pruneSome({ store }, { before: 0 }), { threads: 5, turns: 10, items: 15, next })
  await assert.rejects(pruneSome({ store }, { before: 0, next }), /disk is full/)
})
