// Tool schemas as providers take them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '#core/json.ts'
import { adaptSchema } from '#models/schema.ts'

const adapt = (parameters: JsonObject, description = 'A tool.') => adaptSchema({ description, parameters })

describe('a schema that providers take', () => {
  const rows: [string, JsonObject, JsonObject][] = [
    ['an empty one becomes an object', {}, { type: 'object', properties: {} }],
    ['a bare object gets properties', { type: 'object' }, { type: 'object', properties: {} }],
    [
      '$schema is dropped and the rest stays',
      { $schema: 'x', type: 'object', properties: { a: { type: 'string' } }, required: ['a'], $defs: {} },
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], $defs: {} },
    ],
    [
      'nested composition is left alone',
      { type: 'object', properties: { a: { oneOf: [{ type: 'string' }, { const: 1 }] } } },
      { type: 'object', properties: { a: { oneOf: [{ type: 'string' }, { const: 1 }] } } },
    ],
  ]
  for (const [what, original, expected] of rows) {
    test(what, () => {
      assert.deepEqual(adapt(original), { description: 'A tool.', parameters: expected, exact: true })
    })
  }
})

describe('a composition at the top level', () => {
  const circle = {
    type: 'object',
    title: 'Circle',
    properties: { kind: { type: 'string', const: 'circle' }, r: { type: 'number' } },
    required: ['kind', 'r'],
    additionalProperties: false,
  }
  const square = {
    type: 'object',
    properties: { kind: { type: 'string', const: 'square' }, side: { type: 'number' }, label: { type: 'string' } },
    required: ['kind', 'side'],
    additionalProperties: false,
  }
  const flat = {
    type: 'object',
    properties: {
      kind: { type: 'string', enum: ['circle', 'square'] },
      r: { type: 'number' },
      side: { type: 'number' },
      label: { type: 'string' },
    },
    required: ['kind'],
    additionalProperties: false,
  }

  test('oneOf becomes one object with an enum, and its forms are told', () => {
    const { description, parameters, exact } = adapt({ oneOf: [circle, square] })
    assert.deepEqual(parameters, flat)
    assert.equal(exact, false)
    assert.equal(
      description,
      [
        'A tool.\n',
        'The arguments take exactly one of these forms:',
        '- kind = "circle": r (required). Circle',
        '- kind = "square": side (required), label',
      ].join('\n'),
    )
  })

  test('branches behind references are followed, and definitions stay for those further in', () => {
    const $defs = { circle, square }
    const oneOf = [{ $ref: '#/$defs/circle' }, { $ref: '#/$defs/square' }]
    assert.deepEqual(adapt({ $defs, oneOf }).parameters, { $defs, ...flat })
    assert.deepEqual(
      adapt({ $defs: { both: { oneOf: [circle, square] } }, $ref: '#/$defs/both' }).parameters['required'],
      ['kind'],
    )
  })

  test('anyOf that only requires keeps the properties and tells the choice', () => {
    const properties = { id: { type: 'string' }, name: { type: 'string' } }
    const { description, parameters } = adapt({
      type: 'object',
      properties,
      anyOf: [{ required: ['id'] }, { required: ['name'] }],
    })
    assert.deepEqual(parameters, { type: 'object', properties })
    assert.match(description, /at least one of these forms:\n- id \(required\)\n- name \(required\)/)
  })

  test('allOf adds up: properties and required names of every part', () => {
    const { description, parameters } = adapt({
      allOf: [
        { properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { type: 'number' } }, required: ['b'] },
      ],
    })
    assert.deepEqual(parameters, {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' } },
      required: ['a', 'b'],
    })
    assert.equal(description, 'A tool.')
  })

  test('a property that branches describe differently takes either', () => {
    const oneOf = [{ properties: { v: { type: 'string' } } }, { properties: { v: { type: 'number' } } }]
    assert.deepEqual(adapt({ oneOf }).parameters['properties'], {
      v: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    })
  })

  test('a discriminator that the schema itself describes keeps its words and gets the values', () => {
    const { parameters } = adapt({
      properties: { op: { type: 'string', description: 'What to do' } },
      required: ['op'],
      oneOf: [{ properties: { op: { const: 'get' } } }, { properties: { op: { enum: ['put', 'get'] } } }],
    })
    assert.deepEqual(parameters, {
      type: 'object',
      properties: { op: { type: 'string', description: 'What to do', enum: ['get', 'put'] } },
      required: ['op'],
    })
  })

  test('rules that cannot be kept are told', () => {
    const { description, parameters } = adapt({
      type: 'object',
      properties: {},
      not: { required: ['a'] },
      allOf: [JSON.parse('{"if":{"required":["b"]},"then":{"required":["c"]}}') as JsonObject],
    })
    assert.deepEqual(parameters, { type: 'object', properties: {} })
    assert.match(description, /"if":\{"required":\["b"\]\},"then"/)
    assert.match(description, /"not":\{"required":\["a"\]\}/)
  })

  test('branches that take no object do not count', () => {
    assert.deepEqual(adapt({ anyOf: [square, { type: 'null' }] }).parameters['required'], ['kind', 'side'])
  })

  test('what would make the description too long is told inside the schema', () => {
    const { description, parameters } = adapt({ oneOf: [circle, square] }, 'x'.repeat(1000))
    assert.equal(description, 'x'.repeat(1000))
    assert.match(JSON.stringify(parameters['description']), /kind = \\"circle\\"/)
  })

  test('a hostile schema that multiplies itself is cut short', () => {
    const self = { anyOf: Array.from({ length: 50 }, () => ({ $ref: '#/$defs/self' })) }
    const { parameters } = adapt({ $defs: { self }, $ref: '#/$defs/self' })
    assert.equal(parameters['type'], 'object')
  })

  test('the work on a schema is bounded, whatever it is made of', () => {
    const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
    const differing = adapt({ allOf: many(400, (at) => ({ properties: { a: { const: at } } })) })
    const { a } = differing.parameters['properties'] as { a: { allOf: unknown[] } }
    assert.ok(a.allOf.length > 2 && a.allOf.length < 100, `${a.allOf.length} parts of 400`)
    const wide = { properties: Object.fromEntries(many(400, (at) => [`p${at}`, { not: { enum: many(9, String) } }])) }
    const parts = many(400, (at) => ({ allOf: [{ $ref: '#/$defs/wide' }, { not: { const: at } }] }))
    const { description, parameters } = adapt({ $defs: { wide }, anyOf: parts })
    assert.equal(Object.keys(parameters['properties'] as object).length, 400)
    assert.ok(description.length + JSON.stringify(parameters['description']).length < 10_000)
  })

  test('a property named __proto__ is a property', () => {
    const parameters = JSON.parse('{"oneOf":[{"properties":{"__proto__":{"type":"string"}}}]}') as JsonObject
    assert.equal(JSON.stringify(adapt(parameters).parameters['properties']), '{"__proto__":{"type":"string"}}')
  })
})
