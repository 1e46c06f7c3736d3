// What a form starts with, and what is sent of what was entered.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Field } from '#doors/web/wire/gate.ts'
import { type Entry, firstEntries, valuesOf } from '../../../web/lib/form-values.ts'

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
