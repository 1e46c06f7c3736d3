// The verdict on a soak: a run that proves nothing does not pass.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figures, type Row } from './figures.ts'
import { countMeantToFail, round } from './mix.ts'
import { judgeSoak, type SoakRun, type Turns } from './verdict.ts'

const ended: Turns = { turns: 1_900, completedTurns: 1_700, failedTurns: 66, componentCalls: 200 }
const good: SoakRun = {
  rows: rowsOf(() => 'flat'),
  judged: 24,
  ended,
  meantToFail: 100,
  strange: 0,
  platform: 'linux',
}

function rowsOf(result: (name: string) => Row['result']): Row[] {
  return figures.map((figure) => ({ figure, start: 1, end: 1, perHour: 0, allowed: 1, result: result(figure.name) }))
}

const unread = rowsOf(() => 'unknown')
const withoutProc = rowsOf((name) =>
  ['resident memory', 'file descriptors', 'sockets', 'child processes', 'threads'].includes(name) ? 'unknown' : 'flat',
)
const all = figures.map(({ name }) => name).join(', ')

const cases: readonly (readonly [what: string, change: Partial<SoakRun>, faults: readonly string[]])[] = [
  ['a steady run', {}, []],
  [
    'a run in which every model call fails',
    { ended: { turns: 1_900, completedTurns: 0, failedTurns: 1_900, componentCalls: 0 } },
    [
      '0 % of the turns were completed, at least 70 % should be',
      '1900 turns failed, only 100 were meant to',
      'the sandboxed component was never called',
    ],
  ],
  [
    'one failed turn more than is meant to fail',
    { ended: { ...ended, failedTurns: 101 } },
    ['101 turns failed, only 100 were meant to'],
  ],
  [
    'a run without a turn',
    { ended: { turns: 0, completedTurns: 0, failedTurns: 0, componentCalls: 0 } },
    ['no turn came to rest', 'the sandboxed component was never called'],
  ],
  ['turns that could not be counted', { ended: { ...ended, turns: Number.NaN } }, ['no turn came to rest']],
  [
    'most turns stopped',
    { ended: { ...ended, completedTurns: 190 } },
    ['10 % of the turns were completed, at least 70 % should be'],
  ],
  ['an answer that is documented nowhere', { strange: 2 }, ['answers that are documented nowhere: 2']],
  ['a heap that grows', { rows: rowsOf((name) => (name === 'heap' ? 'rising' : 'flat')) }, ['grew: heap']],
  ['figures that could not be read', { rows: unread }, [`fewer than 8 windows have a value: ${all}`]],
  [
    'the figures of /proc on Linux',
    { rows: withoutProc },
    ['fewer than 8 windows have a value: resident memory, file descriptors, sockets, child processes, threads'],
  ],
  ['the figures of /proc elsewhere', { rows: withoutProc, platform: 'darwin' }, []],
  ['a run that is too short', { rows: unread, judged: 7 }, []],
]

for (const [what, change, faults] of cases) {
  test(`${what}: ${faults.length === 0 ? 'passes' : 'fails'}`, () => {
    assert.deepEqual(judgeSoak({ ...good, ...change }).faults, faults)
  })
}

test('a run says what it could not tell', () => {
  assert.deepEqual(judgeSoak(good).notes, [])
  assert.deepEqual(judgeSoak({ ...good, rows: unread, judged: 7 }).notes, [
    'too short to tell what grows: 7 windows after the warm-up, at least 8 are needed',
  ])
  assert.deepEqual(judgeSoak({ ...good, rows: withoutProc, platform: 'darwin' }).notes, [
    'not shown by this system: resident memory, file descriptors, sockets, child processes, threads',
  ])
})

test('one message of each round is meant to fail', () => {
  assert.deepEqual([0, round.length, 3 * round.length].map(countMeantToFail), [0, 1, 3])
})
