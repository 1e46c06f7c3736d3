// Which names tools may have that are not built in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentPrefixes, nameKey, toolNameFault } from '#core/tool-names.ts'

for (const name of [
  'a',
  'A',
  'weather',
  'get-things_2',
  `a${'x'.repeat(63)}`,
  'times',
  'memory',
  'my_memory_',
  'x_time',
]) {
  test(`${name.slice(0, 20)} is a name`, () => assert.equal(toolNameFault(name), undefined))
}

const refused: readonly [name: string, why: RegExp][] = [
  ['', /a letter, then letters/],
  [`a${'x'.repeat(64)}`, /at most 64/],
  ['2things', /a letter, then/],
  ['_a', /a letter, then/],
  ['-a', /a letter, then/],
  ['a b', /a letter, then/],
  ['a.b', /a letter, then/],
  ['ä', /a letter, then/],
  ['a\n', /a letter, then/],
  ['time', /built-in/],
  ['Time', /built-in/],
  ['calculate', /built-in/],
  ['web_fetch', /built-in/],
  ['WEB-fetch', /built-in/],
  ['http_request', /built-in/],
  ['memory_x', /start with memory_ are reserved/],
  ['Memory-x', /start with memory_ are reserved/],
  ['mission_x', /start with mission_/],
  ['skill_x', /start with skill_/],
  ['workspace_x', /start with workspace_/],
]
for (const [name, why] of refused) {
  test(`${JSON.stringify(name).slice(0, 20)} is refused`, () => assert.match(toolNameFault(name) ?? '', why))
}

test('a name that is far too long is not told as a whole', () => {
  const fault = toolNameFault('x'.repeat(10_000)) ?? ''
  assert.ok(fault.length < 300 && fault.startsWith(`"${'x'.repeat(128)}"`))
})

test('names that are easily confused have one key', () => {
  assert.equal(nameKey('Get-Things'), nameKey('get_things'))
  assert.notEqual(nameKey('get_things'), nameKey('getthings'))
  assert.deepEqual(agentPrefixes, ['memory_', 'mission_', 'skill_'])
})
