// A reader that leaves and does not come back stops its turn; by which rules, at one process or at two.
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import type { Signal } from '#core/bus.ts'
import { userId } from '#core/ids.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import { createReaders, type Readers } from '#turns/readers.ts'

const turn: Turn = {
  id: 't',
  threadId: 'thread',
  userId: userId('ann'),
  door: 'responses',
  status: 'running',
  options: {},
  createdAt: 0,
  usage: noUsage,
}

describe('readers of a turn', () => {
  let now = 0
  let stored: Turn
  let cancelled: string[]
  let jobs: Set<{ time: number; job: () => void | Promise<void> }>
  let listeners: ((signal: Signal) => void)[]
  const clock = {
    now: () => now,
    at(time: number, _name: string, job: () => void | Promise<void>) {
      const entry = { time, job }
      jobs.add(entry)
      return {
        stop() {
          jobs.delete(entry)
          return Promise.resolve()
        },
      }
    },
  }
  const process = (stopsTurns = true): Readers =>
    createReaders({
      turns: {
        get: () => Promise.resolve(stored),
        cancel: (_user, id) => {
          cancelled.push(id)
          return Promise.resolve(stored)
        },
      },
      bus: {
        signal: (signal) => listeners.forEach((listen) => listen(signal)),
        onSignal: (listen) => listeners.push(listen),
      },
      clock,
      stopsTurns,
    })
  const pass = async (ms: number) => {
    now += ms
    for (const entry of jobs) {
      if (entry.time > now) continue
      jobs.delete(entry)
      await entry.job()
    }
  }
  beforeEach(() => {
    now = 0
    stored = turn
    cancelled = []
    jobs = new Set()
    listeners = []
  })

  it('stop it when none is left for 10 seconds', async () => {
    const readers = process()
    readers.open(turn, true).left()
    await pass(9_999)
    assert.deepEqual(cancelled, [])
    await pass(1)
    assert.deepEqual(cancelled, ['t'])
  })

  it('do not stop it when it came to a gate and was approved while they were away', async () => {
    now = 50_000
    process().open(turn, true).left()
    stored = { ...turn, answeredAt: 55_000 }
    await pass(10_000)
    assert.deepEqual(cancelled, [])
    process().open(turn, true).left()
    await pass(10_000)
    assert.deepEqual(cancelled, ['t'], 'a reader that leaves after the approval stops it')
  })

  it('that are away stop it at once when their client goes on, at whichever process', async () => {
    const readers = [process(), process()]
    readers[0]?.open(turn, true).left()
    readers[1]?.gone('t')
    await pass(0)
    assert.deepEqual(cancelled, ['t'])
    readers[0]?.open(turn, true).left()
    readers[0]?.gone('t')
    await pass(0)
    assert.deepEqual(cancelled, ['t', 't'])
  })

  it('keep it from stopping when its client goes on: a second one, a key, the operator', () => {
    const readers = process()
    assert.equal(readers.canStop(turn), true)
    const first = readers.open(turn, true)
    assert.equal(readers.canStop(turn), true, 'its client may have left unnoticed')
    assert.equal(readers.isLeft(turn), false)
    const second = readers.open(turn)
    first.left()
    assert.deepEqual([readers.canStop(turn), readers.isLeft(turn)], [false, false])
    second.left()
    assert.deepEqual([readers.canStop(turn), readers.isLeft(turn)], [true, true])
    assert.equal(readers.canStop({ ...turn, options: { unattended: true } }), false)
    assert.equal(process(false).canStop(turn), false)
  })

  it('that are there do not stop it when their client sends another message', async () => {
    const readers = process()
    readers.open(turn, true)
    readers.gone('t')
    await pass(60_000)
    assert.deepEqual(cancelled, [])
  })

  it('do not stop it when the stream came to its end', async () => {
    process().open(turn, true).done()
    await pass(60_000)
    assert.deepEqual(cancelled, [])
  })

  it('do not stop it while another stream is open, and each plain GET gives 10 seconds more', async () => {
    const readers = process()
    const [first, second] = [readers.open(turn, true), readers.open(turn)]
    first.left()
    await pass(60_000)
    second.left()
    await pass(9_000)
    readers.seen(turn)
    await pass(9_000)
    assert.deepEqual(cancelled, [])
    const third = readers.open(turn)
    await pass(60_000)
    third.left()
    await pass(10_000)
    assert.deepEqual(cancelled, ['t'])
  })

  it('count at other processes too, whether they came before or after the one that left', async () => {
    const [here, there] = [process(), process()]
    const first = here.open(turn, true)
    const second = there.open(turn)
    first.left()
    await pass(60_000)
    assert.deepEqual(cancelled, [])
    second.left()
    await pass(9_000)
    here.seen(turn)
    await pass(9_000)
    assert.deepEqual(cancelled, [])
    const third = here.open(turn)
    await pass(60_000)
    assert.deepEqual(cancelled, [])
    third.left()
    await pass(10_000)
    assert.deepEqual(cancelled, ['t'])
  })

  for (const [what, of, over] of [
    ['that waits at a gate', turn, { ...turn, status: 'waiting' }],
    ['that is over', turn, { ...turn, status: 'completed' }],
    ['that was sent with a key or in the background', { ...turn, options: { unattended: true } }, turn],
    ['of another door', { ...turn, door: 'web' }, turn],
  ] as const) {
    it(`do not stop a turn ${what}`, async () => {
      stored = over
      process().open(of, true).left()
      await pass(60_000)
      assert.deepEqual(cancelled, [])
    })
  }

  it('get more time only from somebody who asks for the turn, at whichever process', async () => {
    const [here, there] = [process(), process()]
    there.seen(turn)
    await pass(60_000)
    assert.deepEqual(cancelled, [], 'nobody was away')
    here.open(turn, true).left()
    await pass(9_000)
    listeners.forEach((listen) => listen({ type: 'reader', turnId: 't', what: 'left', from: 'elsewhere' }))
    await pass(1_000)
    assert.deepEqual(cancelled, ['t'], 'that another one left gives no time')
  })

  it('stop nothing where the operator says so', async () => {
    process(false).open(turn, true).left()
    await pass(60_000)
    assert.deepEqual(cancelled, [])
  })
})
