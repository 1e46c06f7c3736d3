// What a person may enter into a form, by tables.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkValues, fieldWords, type FormField, type InputRequest, readTyped } from '#core/form.ts'

const formOf = (...fields: FormField[]): InputRequest => ({ type: 'form', server: 'desk', message: 'Well?', fields })
const color = { name: 'x', type: 'choice', options: [{ value: 'r', title: 'Red' }, { value: 'g' }] } as const
const colors = { name: 'x', type: 'choices', options: color.options } as const
const name = { name: 'x', type: 'text' } as const
const count = { name: 'x', type: 'integer' } as const

const fitting: readonly [what: string, field: FormField, given: unknown, value?: unknown][] = [
  ['a text', name, 'Ada', 'Ada'],
  ['a text at its bounds', { ...name, min: 3, max: 3 }, 'Ada', 'Ada'],
  ['letters, not their halves', { ...name, max: 1 }, '🙂', '🙂'],
  ['an empty text that need not be there', name, ''],
  ['nothing', name, undefined],
  ['null, which leaves it empty', { ...name, default: 'Bob' }, null],
  ['the default of what is left out', { ...name, default: 'Bob' }, undefined, 'Bob'],
  ['an email address', { ...name, format: 'email' }, 'ada@a.example', 'ada@a.example'],
  ['an address', { ...name, format: 'uri' }, 'https://a.example/x', 'https://a.example/x'],
  ['a date', { ...name, format: 'date' }, '2028-02-29', '2028-02-29'],
  ['a time', { ...name, format: 'date-time' }, '2028-02-29T10:00:00+01:00', '2028-02-29T10:00:00+01:00'],
  ['a whole number', { ...count, min: 1, max: 1 }, 1, 1],
  ['a number', { ...count, type: 'number' }, 1.5, 1.5],
  ['zero', { ...count, required: true }, 0, 0],
  ['no', { name: 'x', type: 'boolean', required: true }, false, false],
  ['a choice', { ...color, required: true }, 'g', 'g'],
  ['several choices', { ...colors, min: 2, max: 2 }, ['g', 'r'], ['g', 'r']],
  ['no choices', colors, [], []],
]
for (const [what, field, given, value] of fitting) {
  test(`a form takes ${what}`, () => {
    const entered = given === undefined ? {} : { x: given }
    assert.deepEqual(checkValues(formOf(field), entered), { values: value === undefined ? {} : { x: value } })
  })
}

const wrong: readonly [what: string, field: FormField, given: unknown, problem: string][] = [
  ['what is required', { ...name, required: true }, undefined, 'is required'],
  ['an empty text that is required', { ...name, required: true }, '', 'is required'],
  ['null for what is required', { ...count, required: true, default: 1 }, null, 'is required'],
  ['a number for a text', name, 1, 'must be a text'],
  ['a short text', { ...name, min: 2 }, 'a', 'must have at least 2 characters'],
  ['a long text', { ...name, max: 2 }, 'abc', 'must have at most 2 characters'],
  ['a text without bounds that is too long', name, 'a'.repeat(10_001), 'must have at most 10000 characters'],
  ['a NUL', name, 'a\0', 'has a character that cannot be stored'],
  ['half a letter', name, '\ud800', 'has a character that cannot be stored'],
  ['no email address', { ...name, format: 'email' }, 'ada@', 'must be an email address'],
  ['no address', { ...name, format: 'uri' }, 'a.example', 'must be an address such as https://example.com'],
  ['no day of the calendar', { ...name, format: 'date' }, '2027-02-29', 'must be a date such as 2026-01-31'],
  ['no time', { ...name, format: 'date-time' }, '2028-02-29', 'must be a time such as 2026-01-31T09:00:00Z'],
  ['a text for a number', count, '1', 'must be a number'],
  ['infinity', { ...count, type: 'number' }, Number.POSITIVE_INFINITY, 'must be a number'],
  ['a half', count, 1.5, 'must be a whole number'],
  ['a small number', { ...count, min: 2 }, 1, 'must be at least 2'],
  ['a large number', { ...count, max: 2 }, 3, 'must be at most 2'],
  ['a word for yes', { name: 'x', type: 'boolean' }, 'yes', 'must be true or false'],
  ['another choice', color, 'b', 'must be one of r, g'],
  ['a title for a choice', color, 'Red', 'must be one of r, g'],
  ['one choice for a list', colors, 'r', 'must be a list'],
  ['another choice in a list', colors, ['r', 'b'], 'must only have r, g'],
  ['a choice twice', colors, ['r', 'r'], 'must name each choice once'],
  ['too few choices', { ...colors, min: 1 }, [], 'must have at least 1 choice'],
  ['too many choices', { ...colors, max: 1 }, ['r', 'g'], 'must have at most 1 choice'],
  ['no choice where one is required', { ...colors, required: true }, [], 'is required'],
]
for (const [what, field, given, problem] of wrong) {
  test(`a form refuses ${what}, and names the field`, () => {
    const entered = given === undefined ? {} : { x: given }
    assert.deepEqual(checkValues(formOf(field), entered), { field: 'x', problem })
  })
}

test('a value of a field that the form does not have is refused, and so is what is no object', () => {
  assert.deepEqual(checkValues(formOf(name), { y: 1 }), { field: 'y', problem: 'is not in the form' })
  assert.deepEqual(checkValues(formOf(name), [1]), { field: '', problem: 'must be a JSON object' })
  const link: InputRequest = { type: 'link', server: 'desk', message: '', url: 'https://a.example/' }
  assert.deepEqual(checkValues(link, { x: 1 }), { field: 'x', problem: 'is not in the form' })
  assert.deepEqual(checkValues(link, undefined), { values: {} })
})

test('a field with the name of a prototype is a field like any other', () => {
  const form = formOf({ ...name, name: '__proto__', required: true })
  assert.deepEqual(checkValues(form, {}), { field: '__proto__', problem: 'is required' })
  const checked = checkValues(form, JSON.parse('{"__proto__":"a"}'))
  assert.deepEqual('values' in checked && Object.entries(checked.values), [['__proto__', 'a']])
})

const typed: readonly [field: FormField, line: string, value: unknown][] = [
  [name, ' Ada ', 'Ada'],
  [name, ' ', undefined],
  [count, '12', 12],
  [count, 'twelve', 'twelve'],
  [{ name: 'x', type: 'boolean' }, 'Yes', true],
  [{ name: 'x', type: 'boolean' }, 'n', false],
  [{ name: 'x', type: 'boolean' }, 'perhaps', 'perhaps'],
  [color, 'red', 'r'],
  [color, '2', 'g'],
  [color, 'b', 'b'],
  [{ ...color, options: [{ value: '2' }, { value: '1' }] }, '2', '2'],
  [colors, 'Red, g,', ['r', 'g']],
]
test('a typed line is read by the type of its field; what cannot be read stays for the check', () => {
  for (const [field, line, value] of typed) assert.deepEqual(readTyped(field, line), value, `${field.type} ${line}`)
})

test('what may be entered is told in words', () => {
  assert.equal(fieldWords(name), 'text')
  assert.equal(fieldWords({ ...name, format: 'email', max: 9 }), 'an email address, at most 9 characters')
  assert.equal(fieldWords({ ...count, min: 1, max: 9 }), 'a whole number from 1 to 9')
  assert.equal(fieldWords({ ...count, type: 'number', min: 1 }), 'a number at least 1')
  assert.equal(fieldWords({ ...colors, min: 1, max: 2 }), 'any of the list, 1 to 2 choices')
})
