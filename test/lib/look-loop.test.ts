// The loop of looks: when it looks, and that it never looks twice at once.
import assert from 'node:assert/strict'
import { setImmediate as pass } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { createLookLoop } from '#lib/look-loop.ts'

type Answer = number | undefined | Error

/** A loop on a mocked clock whose looks wait until `answer` lets them go. */
function start(t: TestContext, firstMs?: number) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const waiting: ((answer: Answer) => void)[] = []
  const faults: unknown[] = []
  const times: number[] = []
  let looks = 0
  const loop = createLookLoop({
    look: async () => {
      looks++
      const answer = await new Promise<Answer>((resolve) => waiting.push(resolve))
      if (answer instanceof Error) throw answer
      return answer
    },
    onFault: (error, inARow) => {
      faults.push(error)
      times.push(inARow)
      return 500
    },
    ...(firstMs !== undefined && { firstMs }),
  })
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await pass()
  }
  return {
    loop,
    faults,
    times,
    looks: () => looks,
    settle,
    answer: async (answer: Answer) => {
      waiting.shift()?.(answer)
      await settle()
    },
    tick: async (ms: number) => {
      t.mock.timers.tick(ms)
      await settle()
    },
  }
}

test('it looks when it is woken, and wakes of one tick are one look', async (t) => {
  const { loop, looks, settle } = start(t)
  await settle()
  assert.equal(looks(), 0)
  loop.wake()
  loop.wake()
  await settle()
  assert.equal(looks(), 1)
})

test('a wake during a look is one more look after it', async (t) => {
  const { loop, looks, settle, answer } = start(t)
  loop.wake()
  await settle()
  loop.wake()
  loop.wake()
  await settle()
  assert.equal(looks(), 1)
  await answer(undefined)
  assert.equal(looks(), 2)
  await answer(undefined)
  assert.equal(looks(), 2)
})

test('it looks at the time that the last look named, at once for 0, or sooner when it is woken', async (t) => {
  const { loop, looks, settle, answer, tick } = start(t, 100)
  await tick(99)
  assert.equal(looks(), 0)
  await tick(1)
  assert.equal(looks(), 1)
  await answer(0)
  assert.equal(looks(), 2)
  await answer(1_000)
  loop.wake()
  await settle()
  assert.equal(looks(), 3)
  await answer(undefined)
  await tick(10_000)
  assert.equal(looks(), 3, 'the timer of the look before is gone')
})

test('a look that fails is told, and tried again after the time that is named then', async (t) => {
  const { loop, looks, faults, settle, answer, tick } = start(t)
  loop.wake()
  await settle()
  const fault = new Error('away')
  await answer(fault)
  assert.deepEqual(faults, [fault])
  await tick(499)
  assert.equal(looks(), 1)
  await tick(1)
  assert.equal(looks(), 2)
})

test('a stop waits for the look under way and makes no other', async (t) => {
  const { loop, looks, settle, answer, tick } = start(t)
  loop.wake()
  await settle()
  let stopped = false
  const stopping = loop.stop().then(() => (stopped = true))
  loop.wake()
  await settle()
  assert.equal(stopped, false)
  await answer(10)
  await stopping
  loop.wake()
  await tick(10_000)
  assert.equal(looks(), 1)
})

test('a wait that is longer than a timer takes is cut: the timer would end at once, again and again', async (t) => {
  const maxTimerMs = 2 ** 31 - 1
  const { loop, looks, settle, answer, tick } = start(t)
  loop.wake()
  await settle()
  await answer(maxTimerMs + 1)
  await tick(maxTimerMs - 1)
  assert.equal(looks(), 1)
  await tick(1)
  assert.equal(looks(), 2)
})

test('faults in a row are counted, anew after a look that did not fail', async (t) => {
  const { loop, times, settle, answer, tick } = start(t)
  loop.wake()
  await settle()
  for (const each of [new Error('away'), new Error('away'), 500, new Error('away')]) {
    await answer(each)
    await tick(500)
  }
  assert.deepEqual(times, [1, 2, 1])
})
