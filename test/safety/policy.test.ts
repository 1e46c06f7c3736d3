// The default policy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge } from '#safety/policy.ts'
import { call, tool } from '../agent/tools.ts'

for (const [effects, verdict] of [
  ['read', 'allow'],
  ['keep', 'allow'],
  ['write', 'ask'],
  ['danger', 'ask'],
] as const) {
  test(`a tool that may ${effects} is met with ${verdict}`, () => {
    const judged = judge({ call: call('c', 'act'), tool: tool('act', { effects }) })
    assert.equal(judged.do, verdict)
    if (judged.do !== 'allow') assert.match(judged.reason, /^act may /)
  })
}
