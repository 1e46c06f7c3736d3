import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectWhenCalm, lookAt } from '#commands/collect-when-calm.ts'
import { openAllFiles } from '../full-files.ts'

const mib = 2 ** 20
const calm = { active: 1_500, utilization: 0.15 }
const steady = { active: 1_000, utilization: 0.1 }
const busy = { active: 1_510, utilization: 0.151 }
const heap = (used: number, total: number) => ({ used: used * mib, total: total * mib })
const usual = heap(40, 60)
const idle = { kept: 30 * mib, sinceMs: 300_000, running: 0 }

const looks: readonly (readonly [what: string, given: Parameters<typeof lookAt>, loadMs: number, collects: boolean])[] =
  [
    ['the calm behind a load', [5_000, calm, usual, idle], 0, true],
    ['a load', [60_000, busy, usual, idle], 61_510, false],
    ['the calm behind little work', [4_999, calm, usual, idle], 0, false],
    ['steady little work', [0, steady, usual, idle], 0, false],
    ['a heap whose collection takes long', [5_000, calm, heap(129, 170), idle], 5_000, false],
    ['the largest heap that is collected', [5_000, calm, heap(128, 170), idle], 0, true],
    ['the calm while a turn runs', [5_000, calm, usual, { ...idle, running: 1 }], 5_000, false],
    ['a calm soon behind the last collection', [5_000, calm, usual, { ...idle, sinceMs: 299_999 }], 5_000, false],
    ['a heap with little to free', [5_000, calm, heap(40, 47), { ...idle, kept: 40 * mib }], 0, false],
    ['a heap with enough to free', [5_000, calm, heap(40, 48), { ...idle, kept: 40 * mib }], 0, true],
  ]

for (const [what, given, loadMs, collects] of looks) {
  test(`memory is ${collects ? '' : 'not '}collected at ${what}`, () => {
    assert.deepEqual(lookAt(...given), { loadMs, collects })
  })
}

test('a service that may open no other file still looks at its memory', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  let looks = 0
  collectWhenCalm(() => ++looks)
  {
    using _ = openAllFiles()
    t.mock.timers.tick(20_000)
  }
  assert.equal(looks, 2)
})
