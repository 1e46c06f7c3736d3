// The OpenAPI operation of chat completions: what a request must have, and the shape of each message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '#doors/completions/openapi.ts'

type Schema = { readonly [field: string]: Schema }

function requestOf(): { readonly required: unknown; readonly schema: Schema } {
  const { requestBody } = create() as { requestBody: { required: unknown; content: Record<string, Schema> } }
  return { required: requestBody.required, schema: requestBody.content['application/json']?.['schema'] ?? {} }
}

test('a request has a body with a model and at least one message, and may have other fields', () => {
  const { required, schema } = requestOf()
  assert.equal(required, true)
  assert.deepEqual(schema['required'], ['model', 'messages'])
  assert.equal(schema['additionalProperties'], true)
  assert.partialDeepStrictEqual(schema['properties']?.['messages'], { type: 'array', minItems: 1 })
  assert(!('functions' in (schema['properties'] ?? {})))
})

test('a message is described for each role', () => {
  const messages = requestOf().schema['properties']?.['messages']?.['items']?.['anyOf'] as unknown as {
    readonly allOf: readonly Schema[]
  }[]
  const roles = ['system', 'developer', 'user', 'assistant', 'tool']
  assert.deepEqual(
    messages.map(({ allOf }) => allOf[0]),
    roles.map((role) => ({ type: 'object', properties: { role: { const: role } }, required: ['role'] })),
  )
  assert.deepEqual(Object.keys(messages[4]?.allOf[1]?.['properties'] ?? {}), ['tool_call_id', 'content'])
})
