// The policy row and the target of a call.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effectsOf, reachInParams, reachOf, rowOf, rowsOf, type Tool } from '#core/tool.ts'

type Ruled = Pick<Tool, 'policy' | 'effects'>

const byArgs: NonNullable<Tool['policy']> = {
  rows: ['read', 'write'],
  rowOf: (args) => (args === '{}' ? 'read' : 'write'),
}
const rows: readonly [what: string, tool: Ruled, args: string, row: string, all: readonly string[]][] = [
  ['its effect', { effects: 'read' }, '{}', 'read', ['read']],
  ['memory, where it keeps something', { effects: 'keep' }, '{}', 'memory', ['memory']],
  [
    'the effect of its arguments',
    { effects: (args) => (args === '{}' ? 'read' : 'write') },
    '{"a":1}',
    'write',
    ['read'],
  ],
  ['the one it names', { policy: 'write', effects: 'read' }, '{}', 'write', ['write']],
  ['the one that its arguments have', { policy: byArgs, effects: 'read' }, '{"a":1}', 'write', ['read', 'write']],
]
for (const [what, tool, args, row, all] of rows) {
  test(`the row of a call is ${what}`, () => {
    assert.equal(rowOf(tool, args), row)
    assert.deepEqual(rowsOf(tool), all)
  })
}

test('an effect is said once or by the arguments', () => {
  assert.equal(effectsOf({ effects: 'write' }, '{}'), 'write')
  assert.equal(effectsOf({ effects: (args) => (args === 'x' ? 'write' : 'read') }, 'x'), 'write')
})

const targets: readonly [args: string, reach: object | undefined][] = [
  ['{"url":"https://a.example/","path":"p","command":"c"}', { type: 'url', url: 'https://a.example/' }],
  ['{"path":"p","command":"c"}', { type: 'path', path: 'p' }],
  ['{"command":"c"}', { type: 'command', command: 'c' }],
  ['{"url":5}', { type: 'url', url: '' }],
  ['{"path":null}', { type: 'path', path: '' }],
  ['{"command":["c"]}', { type: 'command', command: '' }],
  ['{"other":1}', undefined],
  ['no json', undefined],
  ['[]', undefined],
]
for (const [args, reach] of targets) {
  test(`the target of ${args}`, () => {
    assert.deepEqual(reachInParams(args), reach)
    assert.deepEqual(reachOf({}, args), reach)
  })
}

test('a tool that knows its target is asked for it, also where there is none', () => {
  assert.deepEqual(reachOf({ reach: () => ({ type: 'path', path: 'own' }) }, '{"url":"x"}'), {
    type: 'path',
    path: 'own',
  })
  assert.equal(reachOf({ reach: () => undefined }, '{"url":"x"}'), undefined)
})
