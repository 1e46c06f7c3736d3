// The course of a run: when faults happen, and what ends it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Course, runCourse } from './course.ts'
import type { Fault } from './faults.ts'
import type { Event } from './history.ts'

const forever = new Promise<never>(() => {})
const fault = (at: number, happen: () => Promise<void>): Fault => ({ at, name: `fault ${at}`, happen })

/** Two clients and ten operations; `begun` has the operations that began, `events` what happened. */
function begin({ faults, operate }: Pick<Course<string>, 'faults' | 'operate'>) {
  const begun: number[] = []
  const events: Event[] = []
  const ended = runCourse({
    clients: ['ada', 'bob'],
    ops: 10,
    faults,
    async operate(client, op) {
      begun.push(op)
      await operate(client, op)
    },
    record: (event) => events.push(event),
  })
  return { begun, events, ended }
}

test('each operation is done once, and a fault begins with its operation, behind the fault before', async () => {
  const first = Promise.withResolvers<void>()
  const { begun, events, ended } = begin({
    faults: [fault(1, () => first.promise), fault(3, () => Promise.resolve())],
    operate: async (_, op) => {
      if (op === 9) first.resolve()
    },
  })
  await ended
  assert.deepEqual(
    begun.toSorted((one, other) => one - other),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  )
  assert.deepEqual(events, [
    { type: 'fault', name: 'fault 1' },
    { type: 'fault-over', name: 'fault 1' },
    { type: 'fault', name: 'fault 3' },
    { type: 'fault-over', name: 'fault 3' },
  ])
})

test('a fault that fails ends the run with its reason at once: no operation is waited for, and no other fault begins', async () => {
  const waits = Promise.withResolvers<void>()
  const { begun, events, ended } = begin({
    faults: [fault(1, () => Promise.reject(new Error('no such process'))), fault(2, () => Promise.resolve())],
    operate: (client) => (client === 'ada' ? waits.promise : forever),
  })
  await assert.rejects(ended, /^Error: the fault "fault 1" failed: no such process$/)
  waits.resolve()
  await waits.promise
  await new Promise(setImmediate)
  assert.deepEqual([begun, events], [[0, 1], [{ type: 'fault', name: 'fault 1' }]])
})

test('an operation that throws ends the run once the fault of the moment is over', async () => {
  const begun = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const { events, ended } = begin({
    faults: [
      fault(0, () => {
        begun.resolve()
        return over.promise
      }),
    ],
    async operate() {
      await begun.promise
      throw new Error('a bug')
    },
  })
  let settled = false
  const watched = ended.finally(() => (settled = true))
  watched.catch(() => {})
  await begun.promise
  await new Promise(setImmediate)
  assert.equal(settled, false)
  over.resolve()
  await assert.rejects(watched, /a bug/)
  assert.equal(events.at(-1)?.type, 'fault-over')
})
