// Progress of a running call: what watchers get of many reports.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Progress } from '#core/event.ts'
import { createProgress } from '#agent/progress.ts'

function reports() {
  const sent: Progress[] = []
  const timers: { run: () => void; ms: number; stopped: boolean }[] = []
  const progress = createProgress({
    turnId: 't',
    callId: 'c',
    mask: (text) => Promise.resolve(text.replaceAll('hush', '***')),
    emit: (each) => void sent.push(each),
    timer(run, ms) {
      const timer = { run, ms, stopped: false }
      timers.push(timer)
      return () => (timer.stopped = true)
    },
  })
  const tick = async (): Promise<void> => {
    timers.at(-1)?.run()
    await settled()
  }
  return { progress, sent, timers, tick }
}

const settled = () => new Promise(setImmediate)

test('the first report goes out at once, of those that follow the latest, after half a second', async () => {
  const { progress, sent, timers, tick } = reports()
  progress.add({ progress: 1, total: 9 })
  await settled()
  for (const each of [2, 3, 4]) progress.add({ progress: each, message: 'working' })
  await settled()
  assert.deepEqual(sent, [{ type: 'progress', turnId: 't', callId: 'c', progress: 1, total: 9 }])
  assert.deepEqual(
    timers.map(({ ms }) => ms),
    [500],
  )
  await tick()
  assert.deepEqual(sent.slice(1), [{ type: 'progress', turnId: 't', callId: 'c', progress: 4, message: 'working' }])
  await tick()
  assert.equal(timers.length, 2, 'without a report no timer runs')
  progress.add({ progress: 5 })
  await settled()
  assert.equal(sent.length, 3)
})

test('a message is masked and cut; what is no number is left out', async () => {
  const { progress, sent, tick } = reports()
  progress.add({ progress: Number.NaN, message: 'no' })
  progress.add({ progress: 1, total: Infinity, message: `hu\0sh ${'x'.repeat(10_000)}` })
  await settled()
  await tick()
  assert.equal(sent.length, 1)
  assert.deepEqual([sent[0]?.total, sent[0]?.message], [undefined, `*** ${'x'.repeat(196)}`])
})

test('nothing is told of a call that is over', async () => {
  const { progress, sent, timers } = reports()
  progress.add({ progress: 1, message: 'still being masked' })
  progress.end()
  progress.add({ progress: 2 })
  await settled()
  assert.deepEqual([sent, timers.map(({ stopped }) => stopped)], [[], [true]])
})
