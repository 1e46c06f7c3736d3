// Which words of a job stand beside its title.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownWords } from '../../../web/lib/job-words.ts'

const long = 'x'.repeat(80)
const rows: readonly [title: string, message: string | undefined, shown: string][] = [
  ['Plan the move', 'Shorter please', 'Shorter please'],
  ['Plan the move', 'Plan the move', ''],
  ['Plan', 'Plan the move', 'Plan the move'],
  [long, `${long} and more`, ''],
  ['Plan', undefined, ''],
]
test('the words of a job are shown unless its title tells them', () => {
  for (const [title, message, shown] of rows)
    assert.equal(ownWords({ title, ...(message !== undefined && { message }) }), shown, title)
})
