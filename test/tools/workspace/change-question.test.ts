import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeQuestion } from '#tools/workspace/change-question.ts'

test('the question for a change tells its lines as every other count is shown', () => {
  const after = 'x\n'.repeat(1_200)
  const told = (before: string | undefined): string => JSON.stringify(changeQuestion('a.md', { before, after }))
  assert.match(told(undefined), /Writes 1,200 lines to a new file/)
  assert.match(told('y\n'), /Replaces 1 line with 1,200 in/)
})
