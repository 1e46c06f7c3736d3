import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Skill } from '#doors/web/wire/skill.ts'
import { completed, completionsOf } from '../../../web/lib/slash.ts'

function skill(name: string, enabled = true): Skill {
  const rest = { description: '', from: 'you', author: 'user', untrusted: false, warnings: 0, updated_at: '' } as const
  return { name, enabled, ...rest }
}

const skills = ['pdf', 'pdf-forms', 'poems'].map((name) => skill(name)).concat(skill('pages', false))

for (const [draft, expected] of [
  ['/', ['pdf', 'pdf-forms', 'poems']],
  ['/pdf', ['pdf', 'pdf-forms']],
  ['/pdf-', ['pdf-forms']],
  ['/pa', []],
  ['/x', []],
  ['/pdf ', []],
  ['/pdf go', []],
  ['a /pdf', []],
  ['', []],
  ['/P', []],
] as const) {
  test(`the draft ${JSON.stringify(draft)} may name ${expected.join(', ') || 'nothing'}`, () => {
    assert.deepEqual(
      completionsOf(draft, skills).map(({ name }) => name),
      expected,
    )
  })
}

test('at most six are shown, and a whole name is followed by a blank', () => {
  const many = Array.from({ length: 20 }, (_, at) => skill(`s${at}`))
  assert.equal(completionsOf('/', many).length, 6)
  assert.equal(completed(skill('pdf')), '/pdf ')
})
