// Checks of request data: the field by its path, and the problem in the same words everywhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod/mini'
import { wrongField } from '#core/errors.ts'
import { check, checkBody, checkQuery } from '#http/validate.ts'

const Schema = z.object({
  name: z.string(),
  tools: z.optional(z.array(z.object({ name: z.string(), count: z.optional(z.int()) }))),
  on: z.optional(z.boolean()),
  size: z.optional(z.number('must be a size')),
  effect: z.optional(z.enum(['read', 'write', 'off'])),
  kind: z.optional(z.literal('ntfy')),
  part: z.optional(
    z.discriminatedUnion('type', [z.object({ type: z.literal('text') }), z.object({ type: z.literal('image') })]),
  ),
  word: z.optional(z.string().check(z.maxLength(3))),
  words: z.optional(z.array(z.string()).check(z.maxLength(1))),
  most: z.optional(z.number().check(z.maximum(10))),
  texts: z.optional(z.record(z.string(), z.string())),
  head: z.optional(z.strictObject({ url: z.string() })),
})

const faults: readonly [value: unknown, param: string | undefined, message: string][] = [
  [{}, 'name', 'name is missing'],
  [{ name: 5 }, 'name', 'name must be a string'],
  [{ name: null }, 'name', 'name must be a string'],
  [{ name: 'a', tools: {} }, 'tools', 'tools must be a list'],
  [{ name: 'a', tools: [{ name: 'b' }, {}] }, 'tools[1].name', 'tools[1].name is missing'],
  [{ name: 'a', tools: [5] }, 'tools[0]', 'tools[0] must be a JSON object'],
  [{ name: 'a', tools: [{ name: 'b', count: 'x' }] }, 'tools[0].count', 'tools[0].count must be a number'],
  [{ name: 'a', on: 'yes' }, 'on', 'on must be true or false'],
  [{ name: 'a', size: 'x' }, 'size', 'size must be a size'],
  [{ name: 'a', effect: 'maybe' }, 'effect', 'effect must be read, write or off'],
  [{ name: 'a', effect: 5 }, 'effect', 'effect must be read, write or off'],
  [{ name: 'a', kind: 'mail' }, 'kind', 'kind must be ntfy'],
  [{ name: 'a', part: { type: 'sound' } }, 'part.type', 'part.type must be text or image'],
  [{ name: 'a', part: {} }, 'part.type', 'part.type must be text or image'],
  [{ name: 'a', head: { url: 'x', command: 'y' } }, 'head.command', 'head.command is no field of this request'],
  [{ name: 'a', word: 'four' }, 'word', 'word must have at most 3 characters'],
  [{ name: 'a', words: ['a', 'b'] }, 'words', 'words must have at most 1 entries'],
  [{ name: 'a', most: 11 }, 'most', 'most must be at most 10'],
  [{ name: 'a', texts: [] }, 'texts', 'texts must be a JSON object'],
  ['text', undefined, 'the body must be a JSON object'],
]
for (const [value, param, message] of faults) {
  test(`${JSON.stringify(value)}: ${message}`, () => {
    assert.throws(() => check(Schema, value), { code: 'invalid_input', message, param })
  })
}

test('a field with an empty name is told as a field, not as the body', () => {
  const message = '"" is no field of this request'
  assert.throws(() => check(z.strictObject({ name: z.string() }), { name: 'a', '': 1 }), { message, param: '""' })
})

test('what is right is given back; a place in the request goes before the field', () => {
  assert.deepEqual(check(Schema, { name: 'a' }), { name: 'a' })
  assert.throws(() => check(Schema, {}, 'input[0]'), { param: 'input[0].name' })
})

test('an empty body is told as such', () => {
  assert.throws(() => checkBody(Schema, undefined), { message: 'the body is empty: send a JSON object' })
  assert.deepEqual(checkBody(Schema, { name: 'a' }), { name: 'a' })
})

test('a path of 200 characters is shown whole, a longer one is cut', () => {
  assert.equal(wrongField('x'.repeat(200), 'is bad').param, 'x'.repeat(200))
  assert.equal(wrongField('x'.repeat(201), 'is bad').param, `${'x'.repeat(200)}…`)
})

test('words do not change with the language that another package chose for zod', (t) => {
  const before = z.config().localeError
  t.after(() => z.config({ localeError: before }))
  z.config({ localeError: () => 'andere Worte' })
  assert.throws(() => check(z.object({ name: z.string() }), {}), { message: 'name is missing' })
  assert.throws(() => check(z.object({ name: z.enum(['a']) }), { name: 'b' }), { message: 'name must be a' })
})

test('a field that stands in a query more than once is told so, before what is wrong with its value', () => {
  const Query = z.object({ limit: z.optional(z.string()), effect: z.optional(z.enum(['read', 'write'])) })
  const twice = (param: string) => ({
    code: 'invalid_input',
    param,
    message: `${param} stands in the query more than once`,
  })
  assert.throws(() => checkQuery(Query, { limit: ['1', '2'] }), twice('limit'))
  assert.throws(() => checkQuery(Query, { effect: ['read', 'read'] }), twice('effect'))
  assert.throws(() => checkQuery(Query, { effect: 'off' }), { message: 'effect must be read or write' })
  assert.deepEqual(checkQuery(Query, { limit: '1', other: ['1', '2'] }), { limit: '1' })
})
