// How far a tool reaches: its pill and its lines follow the policy in force.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effectsOf, rowsOf } from '#core/tool.ts'
import { policyInForce, type PolicySettings } from '#safety/policy-table.ts'
import { groupsOf, kindOf, policyLines } from '../../../web/lib/reach.ts'
import { builtInTools } from '../../safety/built-in.ts'

function toolOf(name: string, settings: PolicySettings = {}) {
  const tool = builtInTools.get(name)
  assert(tool)
  return { effects: effectsOf(tool, '{}'), ...policyInForce(rowsOf(tool), settings) }
}

const kinds: readonly [name: string, settings: PolicySettings, kind: string][] = [
  ['time', {}, 'reads'],
  ['web_fetch', {}, 'reads'],
  ['http_request', {}, 'asks'],
  ['memory_write', {}, 'writes'],
  ['workspace_edit', {}, 'asks'],
  ['workspace_shell', {}, 'danger'],
  ['workspace_edit', { workspace: { clean: 'allow' } }, 'writes'],
  ['memory_write', { memory: { clean: 'ask' } }, 'asks'],
  ['web_fetch', { fetch: { clean: 'ask' } }, 'asks'],
  ['workspace_shell', { shell: { clean: 'deny' } }, 'refused'],
  ['time', { read: { clean: 'deny' } }, 'refused'],
]
for (const [name, settings, kind] of kinds) {
  test(`${name} under ${JSON.stringify(settings)}: ${kind}`, () => assert.equal(kindOf(toolOf(name, settings)), kind))
}

test('the lines of the policy are those in force', () => {
  assert.deepEqual(policyLines(toolOf('time')), ['Runs unasked'])
  assert.deepEqual(policyLines(toolOf('web_fetch')), [
    'Runs unasked',
    'After reading text from outside: runs unasked where you or a result named the address, else asks first',
  ])
  assert.deepEqual(policyLines(toolOf('memory_edit', { identity: { clean: 'allow' } })), [
    'Writing, editing or deleting a document of memory. Runs unasked',
    'The same on `AGENTS.md`, `SOUL.md`, `IDENTITY.md`, `USER.md`. Runs unasked',
    'The same on `AGENTS.md`, `SOUL.md`, `IDENTITY.md`, `USER.md`. After reading text from outside: asks first',
  ])
})

test('tools with the same words are one row of a list', () => {
  const list = [...builtInTools.values()].map(({ spec: { name }, about }) => ({ name, ...about }))
  assert.deepEqual(
    groupsOf([...list, { name: 'weather' }]).map(({ tools }) => tools.map(({ name }) => name).join(' ')),
    [
      'time',
      'calculate',
      'web_fetch',
      'http_request',
      'workspace_list workspace_read workspace_search',
      'workspace_write workspace_edit',
      'workspace_shell',
      'memory_search memory_read memory_list',
      'memory_write memory_edit memory_delete',
      'weather',
    ],
  )
})

test('every built-in tool tells what it is', () => {
  for (const { spec, about } of builtInTools.values()) {
    assert(about && about.may.length > 0 && about.cannot.length > 0, spec.name)
  }
})
