// The rows of a soak: each kind of leak is found by its own row, and a service that leaks nothing has none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { random } from '../../random.ts'
import { figures, judgeRun, type Window } from './figures.ts'
import type { Sample } from './probe.ts'

const windowMs = 60_000
const turnsInWindow = 3_000
const samplesInWindow = 8

/** A steady service after so many turns: what it holds is the same, and what it has used grows with the turns. */
function steady(turns: number, noise: number): Sample {
  return {
    rssBytes: 250e6 + 5e6 * noise,
    heapBytes: 60e6 + 3e6 * noise,
    externalBytes: 14e6 + 0.5e6 * noise,
    descriptors: 60 + Math.round(10 * noise),
    sockets: 40 + Math.round(10 * noise),
    children: 1,
    threads: 11,
    databaseBytes: 4_096 * Math.floor((turns * 3_000) / 4_096),
    cpuMs: turns * (3 + 0.1 * noise),
    busyMs: turns * (4 + 0.1 * noise),
    turns,
    completedTurns: turns,
    failedTurns: 0,
    componentCalls: turns / 10,
    loopDelayMs: 15 + 3 * noise,
  }
}

type Leak = {
  readonly sample?: (sample: Sample) => Partial<Sample>
  /** More milliseconds of every turn, and of one of fifty. */
  readonly latencyMs?: (turns: number) => number
  readonly tailMs?: (turns: number) => number
}

/** A run of 25 windows, the first of which only begins the counts. */
function windowsOf({ sample = () => ({}), latencyMs = () => 0, tailMs = () => 0 }: Leak): Window[] {
  return Array.from({ length: 25 }, (_, at) => {
    const samples = Array.from({ length: samplesInWindow }, (_each, part) => {
      const whole = steady(Math.round((at + (part + 1) / samplesInWindow) * turnsInWindow), 0)
      const noisy = steady(whole.turns, random(at * samplesInWindow + part))
      // The counts since the start have no noise: it would be that of all windows before.
      const made = { ...noisy, cpuMs: whole.cpuMs, busyMs: whole.busyMs }
      return { ...made, ...sample(made) }
    })
    const [all, some] = [latencyMs(at * turnsInWindow), tailMs(at * turnsInWindow)]
    const latencies = Array.from(
      { length: 300 },
      (_each, n) => 60 + 40 * random(at * 300 + n) + all + (n % 50 === 0 ? some : 0),
    )
    return { at: at * windowMs, samples, latencies }
  })
}

const leaks: Readonly<Record<string, readonly (readonly [what: string, leak: Leak])[]>> = {
  'resident memory': [
    [
      '1 KB of native memory for each turn',
      { sample: ({ rssBytes, turns }) => ({ rssBytes: rssBytes + 1e3 * turns }) },
    ],
  ],
  heap: [
    [
      'a map that keeps 1 KB of each turn',
      { sample: ({ heapBytes, turns }) => ({ heapBytes: heapBytes + 1e3 * turns }) },
    ],
  ],
  'memory of buffers': [
    [
      'a buffer of 1 KB for each turn',
      { sample: ({ externalBytes, turns }) => ({ externalBytes: externalBytes + 1e3 * turns }) },
    ],
  ],
  'file descriptors': [
    [
      'a file for each 1,000 turns',
      { sample: ({ descriptors, turns }) => ({ descriptors: descriptors + Math.floor(turns / 1e3) }) },
    ],
  ],
  sockets: [
    [
      'a socket for each 1,000 turns',
      { sample: ({ sockets, turns }) => ({ sockets: sockets + Math.floor(turns / 1e3) }) },
    ],
  ],
  'child processes': [
    ['a child for each 10,000 turns', { sample: ({ turns }) => ({ children: 1 + Math.floor(turns / 1e4) }) }],
  ],
  threads: [['a thread for each 10,000 turns', { sample: ({ turns }) => ({ threads: 11 + Math.floor(turns / 1e4) }) }]],
  'database, a turn': [
    [
      'rows that grow with what is stored',
      { sample: ({ turns }) => ({ databaseBytes: 3_000 * turns + (turns / 6) * (turns / 6) }) },
    ],
  ],
  'CPU time, a turn': [
    ['a look at everything that is stored', { sample: ({ turns }) => ({ cpuMs: 3 * turns + turns * turns * 1e-5 }) }],
  ],
  'event loop, a turn': [
    ['commits that take longer and longer', { sample: ({ turns }) => ({ busyMs: 4 * turns + turns * turns * 2e-5 }) }],
  ],
  'latency p50': [['turns that wait longer and longer', { latencyMs: (turns) => turns / 1e3 }]],
  'latency p99': [['one of fifty turns waits longer and longer', { tailMs: (turns) => turns / 300 }]],
  'event loop delay p99': [
    [
      'steps that take longer and longer',
      { sample: ({ loopDelayMs, turns }) => ({ loopDelayMs: loopDelayMs + turns / 1e3 }) },
    ],
  ],
}

const rising = (leak: Leak): string[] =>
  judgeRun(windowsOf(leak)).flatMap(({ figure, result }) => (result === 'rising' ? [figure.name] : []))

test('a steady service has no row that rises', () => {
  assert.deepEqual(rising({}), [])
  assert.deepEqual(
    judgeRun(windowsOf({})).map(({ result }) => result),
    figures.map(() => 'flat'),
  )
})

test('there is a leak for every figure', () => {
  assert.deepEqual(
    Object.keys(leaks),
    figures.map(({ name }) => name),
  )
})

for (const [name, planted] of Object.entries(leaks)) {
  for (const [what, leak] of planted) {
    test(`${what}: the row of ${name} rises, and no other`, () => assert.deepEqual(rising(leak), [name]))
  }
}

test('a cache that fills up in the warm-up and then stays is no leak', () => {
  const full = ({ heapBytes, turns }: Sample): number => heapBytes + 1e3 * Math.min(turns, 6 * turnsInWindow)
  assert.deepEqual(
    judgeRun(windowsOf({ sample: (sample) => ({ heapBytes: full(sample) }) }).slice(6)).filter(
      ({ result }) => result === 'rising',
    ),
    [],
  )
})
