// What a form starts with, and what is sent of what was entered.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Field } from '#doors/web/wire/gate.ts'
import { type Entry, firstEntries, hintOf, valuesOf } from '../../../web/lib/form-values.ts'

const options = [{ value: 'r' }, { value: 'g' }]
const head = { name: 'x', hint: '' }
const rows: readonly [field: Field, first: Entry, entered: Entry, value: unknown][] = [
  [{ ...head, type: 'text' }, '', 'a', 'a'],
  [{ ...head, type: 'text', default: 'b' }, 'b', '', null],
  [{ ...head, type: 'integer', default: 0 }, '0', ' 12', 12],
  [{ ...head, type: 'number' }, '', 'ten', 'ten'],
  [{ ...head, type: 'number' }, '', ' ', ' '],
  [{ ...head, type: 'boolean' }, false, false, false],
  [{ ...head, type: 'boolean', default: true }, true, true, true],
  [{ ...head, type: 'choice', options, default: 'g' }, 'g', '', null],
  [{ ...head, type: 'choices', options, default: ['g'] }, ['g'], ['r', 'g'], ['r', 'g']],
  [{ ...head, type: 'choices', options }, [], [], null],
  [{ ...head, type: 'choices', options, required: true }, [], [], []],
]
for (const [field, first, entered, value] of rows) {
  test(`a field of type ${field.type} starts as ${JSON.stringify(first)} and sends ${JSON.stringify(value)}`, () => {
    assert.deepEqual(firstEntries([field]).get('x'), first)
    assert.deepEqual(valuesOf([field], new Map([['x', entered]])), { x: value })
  })
}

const hints: readonly [field: Field, words: string][] = [
  [{ name: 'x', hint: 'text', type: 'text' }, ''],
  [{ name: 'x', hint: 'text', type: 'text', description: 'as in a passport' }, 'as in a passport'],
  [{ name: 'x', hint: 'text, at least 3 characters', type: 'text', min: 3 }, 'Text, at least 3 characters'],
  [{ name: 'x', hint: 'an email address', type: 'text', format: 'email' }, 'An email address'],
  [{ name: 'x', hint: 'a number', type: 'number', description: 'Weight' }, 'Weight · A number'],
  [{ name: 'x', hint: 'yes or no', type: 'boolean' }, ''],
  [{ name: 'x', hint: 'one of the list', type: 'choice', options }, ''],
  [{ name: 'x', hint: 'any of the list', type: 'choices', options }, 'Any of the list'],
]
test('a field says what may be entered where its look does not tell', () => {
  for (const [field, words] of hints) assert.equal(hintOf(field), words, field.hint)
})
