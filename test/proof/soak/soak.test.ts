// A very short soak, so that the command cannot rot. What grew is not asked: some seconds tell nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryOf } from '../../../bench/process.ts'
import { figures } from './figures.ts'
import { outcomeOf, valueOf } from './probe.ts'
import { soak } from './soak.ts'

/** Figures that some systems do not show. */
const hidden = Number.isFinite(memoryOf(process.pid).rssBytes)
  ? []
  : ['rssBytes', 'descriptors', 'sockets', 'children', 'threads']

test('a series that is missing is not taken for 0, unless its first event makes it', () => {
  const metrics = 'calls_total{tool="a"} 2\ncalls_total{tool="b"} 3\nheap_bytes 7\n'
  assert.deepEqual([valueOf(metrics, 'calls_total{'), valueOf(metrics, 'heap_bytes')], [5, 7])
  assert.deepEqual([valueOf(metrics, 'heap_size'), valueOf(metrics, 'heap_size', 0)], [Number.NaN, 0])
})

test('turns are counted by their outcome, over all doors', () => {
  const metrics =
    'atrium_turns_total{door="chat",outcome="completed"} 2\natrium_turns_total{door="webhook",outcome="completed"} 3\n' +
    'atrium_turns_total{door="chat",outcome="failed"} 4\natrium_tool_calls_total{tool="a",outcome="failed"} 9\n'
  assert.deepEqual(
    ['completed', 'failed', 'cancelled'].map((outcome) => outcomeOf(metrics, outcome)),
    [5, 4, 0],
  )
})

test('a short soak does every kind of operation and has a row for every figure', async () => {
  const { rows, strange, windows } = await soak({
    minutes: 0.002,
    minCalibrationMs: 100,
    database: 'sqlite',
    people: 8,
  })
  assert.deepEqual(strange, [])
  assert.deepEqual(
    rows.map(({ figure }) => figure.name),
    figures.map(({ name }) => name),
  )
  const sample = windows.flatMap(({ samples }) => samples).at(-1)
  assert.ok((sample?.componentCalls ?? 0) > 0, 'the component ran in its sandbox')
  assert.ok((sample?.completedTurns ?? 0) > 0, 'turns were completed')
  const unread = Object.entries(sample ?? {}).filter(
    ([name, value]) => !Number.isFinite(value) && !hidden.includes(name),
  )
  assert.deepEqual(unread, [], 'every figure could be read')
})
