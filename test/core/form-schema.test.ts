// The restricted schema of a protocol's form, by tables.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readForm, readLink } from '#core/form-schema.ts'

const read = (properties: object, more: object = {}) =>
  readForm('desk', 'Well?', { type: 'object', properties, ...more })

const fields: readonly [what: string, schema: object, field: object][] = [
  ['a text', { type: 'string' }, { type: 'text' }],
  [
    'a text with everything',
    {
      type: 'string',
      title: 'T',
      description: 'D',
      minLength: 1,
      maxLength: 9,
      format: 'email',
      default: 'a@b.example',
    },
    { type: 'text', title: 'T', description: 'D', min: 1, max: 9, format: 'email', default: 'a@b.example' },
  ],
  ['a format that nobody knows', { type: 'string', format: 'color' }, { type: 'text' }],
  ['a number', { type: 'number', minimum: 0.5, default: 0.5 }, { type: 'number', min: 0.5, default: 0.5 }],
  ['a whole number', { type: 'integer', maximum: 9 }, { type: 'integer', max: 9 }],
  ['a default of another type', { type: 'integer', default: '1' }, { type: 'integer' }],
  ['yes or no', { type: 'boolean', default: false }, { type: 'boolean', default: false }],
  [
    'a choice',
    { type: 'string', enum: ['r', 'g'], default: 'g' },
    { type: 'choice', options: [{ value: 'r' }, { value: 'g' }], default: 'g' },
  ],
  [
    'a choice with titles',
    { type: 'string', oneOf: [{ const: 'r', title: 'Red' }], default: 'x' },
    { type: 'choice', options: [{ value: 'r', title: 'Red' }] },
  ],
  [
    'a choice with titles as they were',
    { type: 'string', enum: ['r', 'g'], enumNames: ['Red'] },
    { type: 'choice', options: [{ value: 'r', title: 'Red' }, { value: 'g' }] },
  ],
  [
    'several choices',
    {
      type: 'array',
      items: { type: 'string', enum: ['r', 'g'] },
      minItems: 1,
      maxItems: 2,
      default: ['g', 'x'],
    },
    { type: 'choices', options: [{ value: 'r' }, { value: 'g' }], min: 1, max: 2, default: ['g'] },
  ],
  [
    'several choices with titles',
    { type: 'array', items: { anyOf: [{ const: 'r', title: 'Red' }] } },
    { type: 'choices', options: [{ value: 'r', title: 'Red' }] },
  ],
]
for (const [what, schema, field] of fields) {
  test(`a schema becomes a field: ${what}`, () => {
    const form = { type: 'form', server: 'desk', message: 'Well?' }
    assert.deepEqual(read({ x: schema }), { ...form, fields: [{ name: 'x', ...field }] })
  })
}

test('required fields are marked', () => {
  const form = read({ x: { type: 'string' }, y: { type: 'string' } }, { required: ['y', 'z'] })
  assert.deepEqual(
    typeof form === 'object' && form.type === 'form' && form.fields.map(({ name, required }) => [name, required]),
    [
      ['x', undefined],
      ['y', true],
    ],
  )
})

const refused: readonly [what: string, schema: unknown, why: RegExp][] = [
  ['no schema', undefined, /no fields/],
  ['no object', { properties: [] }, /no fields/],
  ['an object in it', { properties: { x: { type: 'object' } } }, /field x has a type/],
  ['a list of numbers', { properties: { x: { type: 'array', items: { type: 'number' } } } }, /field x has no choices/],
  ['a choice that is no text', { properties: { x: { type: 'string', enum: [1] } } }, /field x has a choice/],
  [
    'too many fields',
    { properties: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`f${at}`, { type: 'string' }])) },
    /over 50 fields/,
  ],
  [
    'too many choices',
    { properties: { x: { type: 'string', enum: Array.from({ length: 201 }, (_, at) => `${at}`) } } },
    /over 200 choices/,
  ],
  ['a long name', { properties: { ['x'.repeat(101)]: { type: 'string' } } }, /1 to 100 characters/],
  [
    'a form that is too large',
    {
      properties: Object.fromEntries(
        Array.from({ length: 10 }, (_, at) => [`f${at}`, { type: 'string', default: 'x'.repeat(10_000) }]),
      ),
    },
    /over 64 KB/,
  ],
]
for (const [what, schema, why] of refused) {
  test(`a form is refused with ${what}`, () => {
    const found = readForm('desk', 'Well?', schema)
    assert(typeof found === 'string')
    assert.match(found, why)
  })
}

test('the words of a server are cut to their bounds, and lose what cannot be stored', () => {
  const form = readForm('desk', `a\0\ud800${'x'.repeat(5_000)}`, { properties: {} })
  assert(typeof form === 'object')
  assert.equal(form.message.length, 4_001)
  assert.ok(form.message.startsWith('a\ufffdx') && form.message.endsWith('x…'))
})

const links: readonly [url: unknown, found: string | RegExp][] = [
  ['https://a.example/sign?x=1', 'https://a.example/sign?x=1'],
  ['http://a.example', 'http://a.example/'],
  ['javascript:alert(1)', /no web address/],
  ['data:text/html,x', /no web address/],
  ['a.example', /no web address/],
  [1, /no web address/],
  [`https://a.example/${'x'.repeat(9_000)}`, /no web address/],
  ['https://bank.example@evil.example/', /name or password/],
]
test('only a plain web address can be opened', () => {
  for (const [url, found] of links) {
    const link = readLink('desk', 'Sign in', url)
    if (typeof found === 'string')
      assert.deepEqual(link, { type: 'link', server: 'desk', message: 'Sign in', url: found })
    else assert.match(JSON.stringify(link), found)
  }
})

test('presets of a list are read once, however many options there are', () => {
  let reads = 0
  const preset = new Proxy(
    Array.from({ length: 1_000 }, () => 'x'),
    {
      get(list, name) {
        reads++
        return Reflect.get(list, name) as unknown
      },
    },
  )
  const options = Array.from({ length: 200 }, (_, at) => `${at}`)
  read({ a: { type: 'array', items: { type: 'string', enum: options }, default: preset } })
  assert.ok(reads < 3_000, `${reads} reads`)
})
