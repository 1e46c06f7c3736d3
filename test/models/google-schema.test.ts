import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { JsonObject } from '#core/json.ts'
import { geminiSchema } from '#models/google-schema.ts'

it('a schema that repeats a large part by reference is converted in bounded work', () => {
  const properties = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`p${at}`, { $ref: '#/$defs/a' }]))
  let reads = 0
  const large: JsonObject = {
    type: 'object',
    properties,
    get default() {
      reads += 1
      return 'x'.repeat(50_000)
    },
  }
  const converted = geminiSchema({ $ref: '#/$defs/a', $defs: { a: large } })
  assert.equal(Object.keys(converted['properties'] as object).length, 3_000)
  assert.ok(reads < 100, `the large part was read ${reads} times`)
})

const string: JsonObject = { type: 'string' }
const nested = (depth: number): JsonObject => (depth === 0 ? string : { properties: { a: nested(depth - 1) } })

const conversions: readonly [what: string, schema: JsonObject, expected: JsonObject][] = [
  ['limits of numbers stay', { type: 'number', minimum: 1, maximum: 9 }, { type: 'number', minimum: 1, maximum: 9 }],
  [
    'limits of lists stay, with words',
    { type: 'array', title: 'T', description: 'D', minItems: 1, maxItems: 2, items: string },
    { type: 'array', title: 'T', description: 'D', minItems: 1, maxItems: 2, items: string },
  ],
  ['a list of anything is one of texts', { type: 'array' }, { type: 'array', items: string }],
  ['a list of one kind', { type: 'array', items: [{ type: 'number' }] }, { type: 'array', items: { type: 'number' } }],
  ['an unknown type is left out', { type: 'file' }, {}],
  ['a known format stays', { type: 'string', format: 'date-time' }, { type: 'string', format: 'date-time' }],
  ['another is told', { type: 'string', format: 'uri' }, { type: 'string', description: 'format: "uri"' }],
  ['a text gets its type from its values', { enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
  ['a number too', { enum: [1, 2] }, { type: 'number', enum: [1, 2] }],
  ['its own type wins', { type: 'integer', enum: [1] }, { type: 'integer', enum: [1] }],
  ['mixed values are told', { enum: ['a', 1] }, { description: 'one of: "a", 1' }],
  ['so are others', { const: true }, { description: 'one of: true' }],
  [
    'rules are told behind the description',
    { type: 'string', description: 'D', pattern: '^a', minLength: 2, maxLength: 3, default: 'ab' },
    {
      type: 'string',
      description: 'D (pattern: "^a") (minLength: 2) (maxLength: 3) (default: "ab")',
    },
  ],
  [
    'each rule is told',
    {
      multipleOf: 2,
      exclusiveMinimum: 0,
      exclusiveMaximum: 9,
      uniqueItems: true,
      minProperties: 1,
      maxProperties: 2,
      not: {},
    },
    {
      description:
        'multipleOf: 2 (exclusiveMinimum: 0) (exclusiveMaximum: 9) (uniqueItems: true) (minProperties: 1) (maxProperties: 2) (not: {})',
    },
  ],
  [
    'a long rule is cut at 200 characters',
    { pattern: 'x'.repeat(300) },
    { description: `pattern: "${'x'.repeat(200 - 'pattern: "'.length)}…` },
  ],
  [
    'only what is there is required',
    { type: 'object', properties: { a: string }, required: ['a', 'b', 3] },
    { type: 'object', properties: { a: string }, required: ['a'] },
  ],
  ['nothing is required of another type', { type: 'string', required: ['a'] }, string],
  ['properties make an object', { properties: { a: string } }, { type: 'object', properties: { a: string } }],
  ['an empty object keeps its properties at the top', { properties: {} }, { type: 'object', properties: {} }],
  [
    'and below it has none',
    { properties: { a: { type: 'object', properties: {} } } },
    { type: 'object', properties: { a: { type: 'object' } } },
  ],
  ['a choice stands alone', { title: 'T', minimum: 1, anyOf: [string, {}] }, { title: 'T', anyOf: [string, {}] }],
  [
    'beside properties it is told',
    { properties: { a: string }, oneOf: [{ required: ['a'] }] },
    { type: 'object', properties: { a: string }, description: 'one of these holds: [{"required":["a"]}]' },
  ],
  [
    'two types are a choice',
    { type: ['integer', 'null'], minimum: 1, title: 'T' },
    { title: 'T', anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
  ],
  [
    'a reference is resolved, its own words win',
    { $ref: '#/$defs/a~1b', description: 'own', $defs: { 'a/b': { type: 'string', description: 'its' } } },
    { type: 'string', description: 'own' },
  ],
  ['a reference to nowhere is nothing', { $ref: '#/$defs/a', type: 'string' }, string],
  ['one to another document too', { $ref: 'https://e.example/a', type: 'string' }, string],
  [
    'parts of a whole add up',
    { allOf: [{ properties: { a: string }, required: ['a'] }, { properties: { b: string } }], required: ['b'] },
    { type: 'object', properties: { a: string, b: string }, required: ['b', 'a'] },
  ],
]
for (const [what, schema, expected] of conversions) {
  it(what, () => assert.deepEqual(geminiSchema(schema), expected))
}

it('twelve levels are converted, what is deeper is anything', () => {
  const text = (depth: number): string => JSON.stringify(geminiSchema(nested(depth)))
  assert.ok(text(12).includes('"string"'))
  assert.ok(!text(13).includes('"string"'))
})
