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
    assert.equal(ownWords({ title, door: 'web', ...(message !== undefined && { message }) }), shown, title)
})

test('the title of a run tells the words of its mission, with the date', () => {
  const date = ', Wed 18 Nov 2026 23:41'
  const shown = (title: string, message: string) => ownWords({ title, message, door: 'mission' })
  assert.equal(shown(`Read it, then tell me${date}`, 'Read it, then tell me'), '')
  assert.equal(shown(long + date, `${long} and more`), '')
  assert.equal(shown(`Morning${date}`, 'Read it, then tell me'), 'Read it, then tell me')
  assert.equal(shown('Renamed', 'Read it'), 'Read it')
  assert.equal(ownWords({ title: `Read it${date}`, message: 'Read it', door: 'web' }), 'Read it')
})
