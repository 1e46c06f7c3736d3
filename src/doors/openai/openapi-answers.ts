// Answers of the API doors in the OpenAPI document.
import { jsonContent } from '#http/openapi.ts'
import type { JsonSchema } from '#http/routes.ts'

export function object(description: string): JsonSchema {
  return { description, content: jsonContent({ type: 'object' }) }
}

/** Refusals of a request that starts a turn, the same at both doors. */
export function refusals(): JsonSchema {
  return {
    400: fault('A field is wrong; param names it'),
    401: { description: 'Invalid or missing auth token', content: { 'text/plain': { schema: { type: 'string' } } } },
    413: fault('The body is larger than 14 MiB'),
    415: fault('The body is not application/json, or it is compressed'),
    422: fault('The Idempotency-Key was used with another body'),
    429: fault('Too many messages, or too many requests at once; Retry-After says when to try again'),
    503: fault('The service cannot take work now; Retry-After says when to try again'),
  }
}

/** An error in OpenAI's envelope. */
export function fault(description: string): JsonSchema {
  const field = { anyOf: [{ type: 'string' }, { type: 'null' }] }
  const properties = { message: { type: 'string' }, type: { type: 'string' }, param: field, code: field }
  const error = { type: 'object', properties, required: Object.keys(properties) }
  return { description, content: jsonContent({ type: 'object', properties: { error }, required: ['error'] }) }
}
