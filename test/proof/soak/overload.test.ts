// The verdict on an overload: latencies as ratios to those at capacity.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeOverload, type Overloaded } from './overload.ts'

const good: Overloaded = {
  atCapacity: { admitted: [100, 100, 100], refused: [], wrong: 0 },
  atThreeTimes: { admitted: [150, 180, 200], refused: [3, 4], wrong: 0 },
  behindQueue: [120, 190],
}

const cases: readonly (readonly [what: string, change: Partial<Overloaded>, holds: boolean])[] = [
  ['latencies within twice those at capacity', {}, true],
  ['an admitted turn that takes three times', { atThreeTimes: { admitted: [300], refused: [3], wrong: 0 } }, false],
  ['a refusal that takes longer than a turn', { atThreeTimes: { admitted: [150], refused: [101], wrong: 0 } }, false],
  ['nobody refused at three times', { atThreeTimes: { admitted: [150], refused: [], wrong: 0 } }, false],
  ['a refusal without Retry-After', { atThreeTimes: { admitted: [150], refused: [3], wrong: 1 } }, false],
  ['two turns behind the queue of another', { behindQueue: [300, 300] }, false],
  ['a job behind a queue that is refused', { behindQueue: [Number.NaN] }, false],
]

for (const [what, change, holds] of cases) {
  test(`${what}: ${holds ? 'holds' : 'does not hold'}`, () => {
    assert.equal(judgeOverload({ ...good, ...change }).holds, holds)
  })
}
