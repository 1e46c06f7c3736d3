// Jobs by the clock.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setImmediate as pass } from 'node:timers/promises'
import { createClock } from '#lib/clock.ts'
import { logTo } from '#lib/log.ts'

function open(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const time = { now: 1_000_000 }
  const lines: unknown[] = []
  const log = logTo((_, fields, message) => lines.push([(fields as { job?: string }).job, message]), 'info')
  const clock = createClock({ log, now: () => time.now })
  const tick = async (ms: number): Promise<void> => {
    time.now += ms
    t.mock.timers.tick(ms)
    await pass()
  }
  return { clock, time, lines, tick }
}

test('a job comes again and again, is left out while it runs, and a failure is logged by its name', async (t) => {
  const { clock, lines, tick } = open(t)
  const { promise, resolve } = Promise.withResolvers<void>()
  let times = 0
  const timer = clock.every(100, 'count', () => {
    times++
    if (times === 1) throw new Error('once')
    return times === 2 ? promise : undefined
  })
  for (const _ of [1, 2, 3, 4]) await tick(100)
  assert.equal(times, 2, 'the second still runs')
  assert.deepEqual(lines, [['count', 'a scheduled job failed']])
  let stopped = false
  const stopping = timer.stop().then(() => {
    stopped = true
  })
  await pass()
  assert.equal(stopped, false, 'whoever stops it waits for it')
  resolve()
  await stopping
  await tick(1_000)
  assert.equal(times, 2)
})

test('a job is done at its time, once, however far away; a time that has passed is soon', async (t) => {
  const { clock, time, tick } = open(t)
  const done: string[] = []
  clock.at(time.now + 90_000, 'far', () => void done.push('far'))
  clock.at(time.now - 5, 'passed', () => void done.push('passed'))
  await tick(0)
  assert.deepEqual(done, ['passed'])
  await tick(60_000)
  await tick(29_999)
  assert.deepEqual(done, ['passed'])
  await tick(1)
  await tick(200_000)
  assert.deepEqual(done, ['passed', 'far'])
})

test('a machine that slept is late by a minute at most', async (t) => {
  const { clock, time, tick } = open(t)
  let done = false
  clock.at(time.now + 3_600_000, 'far', () => {
    done = true
  })
  time.now += 3_600_000
  await tick(60_000)
  assert.ok(done)
})

test('a job is no later because the clock was set back', async (t) => {
  const { clock, time, tick } = open(t)
  let done = false
  clock.at(time.now + 90_000, 'far', () => {
    done = true
  })
  time.now -= 24 * 3_600_000
  await tick(60_000)
  await tick(29_999)
  assert.ok(!done)
  await tick(1)
  assert.ok(done)
})

test('a job that is stopped before its time is not done', async (t) => {
  const { clock, time, tick } = open(t)
  let done = false
  const timer = clock.at(time.now + 90_000, 'far', () => {
    done = true
  })
  await tick(60_000)
  await timer.stop()
  await tick(90_000)
  assert.ok(!done)
})

test('a clock that is closed does nothing more, and has waited for what ran', async (t) => {
  const { clock, time, tick } = open(t)
  const done: string[] = []
  clock.every(10, 'again', () => void done.push('again'))
  clock.at(time.now + 10, 'later', async () => {
    await pass()
    done.push('later')
    clock.at(time.now, 'after it', () => void done.push('after it'))
  })
  t.mock.timers.tick(9)
  time.now += 10
  t.mock.timers.tick(1)
  await clock.close()
  assert.deepEqual(done, ['again', 'later'])
  clock.every(10, 'too late', () => void done.push('too late'))
  await tick(100)
  assert.deepEqual(done, ['again', 'later'])
})
