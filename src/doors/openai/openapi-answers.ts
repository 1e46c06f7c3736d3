// Answers of the API doors in the OpenAPI document.
import { jsonContent } from '#http/openapi.ts'
import type { JsonSchema } from '#http/routes.ts'

export function object(description: string): JsonSchema {
  return { description, content: jsonContent({ type: 'object' }) }
}

export function plain(description: string): JsonSchema {
  return { description, content: { 'text/plain': { schema: { type: 'string' } } } }
}

/** An error in OpenAI's envelope. */
export function fault(description: string): JsonSchema {
  const field = { anyOf: [{ type: 'string' }, { type: 'null' }] }
  const properties = { message: { type: 'string' }, type: { type: 'string' }, param: field, code: field }
  const error = { type: 'object', properties, required: Object.keys(properties) }
  return { description, content: jsonContent({ type: 'object', properties: { error }, required: ['error'] }) }
}
