// The one check of a built-in tool's parameters.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readParams, schemaOf } from '#core/tool-params.ts'

const schema = schemaOf(
  {
    name: { type: 'string', minLength: 1, maxLength: 5 },
    kind: { type: 'string', enum: ['a', 'b'] },
    count: { type: 'integer', minimum: 1, maximum: 9 },
    share: { type: 'number', maximum: 1 },
    all: { type: 'boolean' },
    headers: { type: 'object' },
  },
  ['name'],
)

test('parameters within the bounds pass, and null counts as missing', () => {
  const params = { name: 'abcde', kind: 'b', count: 9, share: 0.5, all: false, headers: { a: 'b' } }
  assert.deepEqual(readParams(schema, JSON.stringify(params)), params)
  assert.deepEqual(readParams(schema, '{"name":"a","count":null,"other":null}'), { name: 'a' })
})

const refused: readonly [args: unknown, message: string][] = [
  [{}, 'name is missing'],
  [{ name: null }, 'name is missing'],
  [[], 'name is missing'],
  [{ name: 7 }, 'name must be a text'],
  [{ name: '' }, 'name must not be empty'],
  [{ name: 'abcdef' }, 'name must have at most 5 characters'],
  [{ name: 'a', kind: 'c' }, 'kind must be one of a, b'],
  [{ name: 'a', count: 0 }, 'count must be a whole number from 1 to 9'],
  [{ name: 'a', count: 10 }, 'count must be a whole number from 1 to 9'],
  [{ name: 'a', count: 1.5 }, 'count must be a whole number from 1 to 9'],
  [{ name: 'a', count: '3' }, 'count must be a whole number from 1 to 9'],
  [{ name: 'a', share: 1.5 }, 'share must be a number from 0 to 1'],
  [{ name: 'a', share: -0.1 }, 'share must be a number from 0 to 1'],
  [{ name: 'a', share: '1' }, 'share must be a number from 0 to 1'],
  [{ name: 'a', all: 'yes' }, 'all must be true or false'],
  [{ name: 'a', headers: { a: 1 } }, 'headers must be an object of texts'],
  [{ name: 'a', more: 1 }, 'more is not a parameter; the parameters are name, kind, count, share, all, headers'],
  [
    { name: 'a', toString: 1 },
    'toString is not a parameter; the parameters are name, kind, count, share, all, headers',
  ],
]
for (const [args, message] of refused) {
  test(`refused: ${JSON.stringify(args)}`, () => {
    const [param] = message.split(' ')
    assert.throws(() => readParams(schema, JSON.stringify(args)), { code: 'invalid_input', message, param })
  })
}
