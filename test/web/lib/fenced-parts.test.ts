import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growth } from '../../safety/growth.ts'
import { type FencedPart, fencedParts } from '../../../web/lib/fenced-parts.ts'

test('a typed message falls into its words and its code blocks', () => {
  const cases: readonly (readonly [string, readonly FencedPart[]])[] = [
    ['just *words*', [{ type: 'text', text: 'just *words*' }]],
    [
      'look:\n```py\nprint(1)\n\nprint(2)\n```\n\nwell?',
      [
        { type: 'text', text: 'look:' },
        { type: 'code', text: 'print(1)\n\nprint(2)', language: 'py' },
        { type: 'text', text: 'well?' },
      ],
    ],
    ['~~~\n```\n~~~', [{ type: 'code', text: '```', language: '' }]],
    ['```\nnever closed', [{ type: 'text', text: '```\nnever closed' }]],
    ['a ``` in a line', [{ type: 'text', text: 'a ``` in a line' }]],
    ['', []],
  ]
  for (const [text, parts] of cases) assert.deepEqual(fencedParts(text), parts, text)
})

test('blank lines take linear time', () => {
  assert.ok(growth((times) => fencedParts(`a${'\n'.repeat(times)}b`)) < 3)
})
