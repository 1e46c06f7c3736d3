// OpenAPI operations of this door, generated from the schemas that check requests.
import { fault, object, refusals } from '#doors/openai/openapi-answers.ts'
import {
  AssistantSchema,
  CompletionSchema,
  SystemSchema,
  ToolMessageSchema,
  UserSchema,
} from '#doors/completions/read/schemas.ts'
import { maxIdempotencyKeyChars } from '#http/idempotency-key.ts'
import { jsonContent, schemaOf } from '#http/openapi.ts'
import type { JsonSchema } from '#http/routes.ts'
import type * as z from 'zod/mini'

export function create(): JsonSchema {
  const header = (name: string, schema: JsonSchema): JsonSchema => ({ name, in: 'header', schema })
  return {
    ...tagged,
    parameters: [
      header('Idempotency-Key', { type: 'string', minLength: 1, maxLength: maxIdempotencyKeyChars }),
      header('X-Atrium-Thread', { type: 'string', format: 'uuid' }),
    ],
    requestBody: { required: true, content: jsonContent(requestSchema()) },
    responses: {
      200: {
        description: 'The completion, or its chunks with stream: true.',
        content: { ...jsonContent(completionSchema()), 'text/event-stream': { schema: { type: 'string' } } },
      },
      ...refusals(),
      404: fault('X-Atrium-Thread names no thread of the caller'),
      502: fault('The turn failed; code says why'),
      504: fault('The turn took too long and was stopped'),
    },
  }
}

export function models(): JsonSchema {
  return { ...tagged, responses: { 200: object('A list') } }
}

export function model(): JsonSchema {
  return { ...tagged, responses: { 200: object('The model'), 404: fault('No model of this name is listed') } }
}

const tagged = { tags: ['Chat completions'] }

/** `CompletionSchema` with the schemas of messages filled in: requests check each message by its role. */
function requestSchema(): JsonSchema {
  const schema = schemaOf(CompletionSchema)
  const of = (role: string, fields: z.ZodMiniType): JsonSchema => ({
    allOf: [{ type: 'object', properties: { role: { const: role } }, required: ['role'] }, schemaOf(fields)],
  })
  const items = [
    of('system', SystemSchema),
    of('developer', SystemSchema),
    of('user', UserSchema),
    of('assistant', AssistantSchema),
    of('tool', ToolMessageSchema),
  ]
  const { functions: _, function_call: __, ...properties } = schema['properties'] as Record<string, JsonSchema>
  const messages = { type: 'array', minItems: 1, items: { anyOf: items } }
  return { ...schema, properties: { ...properties, messages }, additionalProperties: true }
}

function completionSchema(): JsonSchema {
  return {
    type: 'object',
    required: ['id', 'object', 'created', 'model', 'choices', 'usage'],
    properties: {
      id: { type: 'string' },
      object: { const: 'chat.completion' },
      created: { type: 'integer' },
      model: { type: 'string' },
      choices: { type: 'array', items: { type: 'object' } },
      usage: { type: 'object' },
    },
  }
}
