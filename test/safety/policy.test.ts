// The default policy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge } from '#safety/policy.ts'

for (const [effects, verdict] of [
  ['read', 'allow'],
  ['keep', 'allow'],
  ['write', 'ask'],
  ['danger', 'ask'],
] as const) {
  test(`a tool that may ${effects} is met with ${verdict}`, () => assert.equal(judge(effects), verdict))
}
