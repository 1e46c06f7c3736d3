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
