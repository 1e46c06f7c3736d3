// The direction of a list, quote or table.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { directionOf } from '../../../web/lib/direction.ts'
import { readMarkdown } from '../../../web/lib/markdown.ts'

test('the first letter decides, wherever it stands', () => {
  const of = (text: string) => directionOf(readMarkdown(text).parts.map(({ block }) => block))
  for (const text of ['- שלום', '- 1.\n- **مرحبا** a', '> # שלום', '| 1 | שלום |\n|-|-|', '---\n\n`שלום`']) {
    assert.equal(of(text), 'rtl', text)
  }
  for (const text of ['- a שלום', '', '- 1', '| a | שלום |\n|-|-|', '> Привет', '```\na\n```\n\nשלום']) {
    assert.equal(of(text), undefined, text)
  }
})
