import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block } from '#doors/terminal/block.ts'
import { runsOf } from '#doors/terminal/call-groups.ts'

test('thoughts between calls fold with them; one after the last call stays to be seen', () => {
  const call = (id: string): Block => ({ type: 'call', id, name: 'x', args: '{}', state: 'done', fold: 'line' })
  const thought = (id: string): Block => ({ type: 'thought', id, text: 'hm', fold: 'line' })
  const row = [thought('0'), call('a'), thought('1'), call('b'), call('c'), thought('2'), call('d'), thought('3')]
  assert.deepEqual([...runsOf(row, new Set()).hidden].sort(), ['1', '2', 'a', 'b', 'c', 'd'])
  assert.deepEqual([...runsOf(row, new Set(['a'])).hidden], [])
})
