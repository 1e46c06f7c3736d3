// The routes of this door for the OpenAPI document, made from the schemas that check the requests.
import * as z from 'zod/mini'
import {
  CompactionSchema,
  CompactSchema,
  CreateSchema,
  FilePartSchema,
  FunctionCallOutputSchema,
  FunctionCallSchema,
  ImagePartSchema,
  ItemReferenceSchema,
  MessageSchema,
  TextPartSchema,
} from '#doors/responses/read/schemas.ts'

const prefixes = ['/api/v1', '/v1']

type Schema = { readonly [key: string]: unknown }

/** The paths under both prefixes, as OpenAPI 3.1 wants them. Made on demand. */
export function openApiPaths(): Record<string, Schema> {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', pattern: '^resp_[0-9a-f]{64}$' } }
  const response = { description: 'The response object', content: json(responseSchema()) }
  const answers = { 200: response, 404: fault('No response of the caller has this id') }
  const create = {
    200: {
      description: 'The response, or its events with stream: true. A turn that failed has status failed.',
      content: { ...json(responseSchema()), 'text/event-stream': { schema: { type: 'string' } } },
    },
    400: fault('A field is wrong; param names it'),
    401: plain('Invalid or missing auth token'),
    409: fault('The thread already runs a turn'),
    413: fault('The body is larger than 14 MiB'),
    422: fault('The Idempotency-Key was used with another body'),
    429: fault('Too many messages; Retry-After tells when to come back'),
    503: fault('The service cannot take work now; Retry-After tells when to come back'),
  }
  const key = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', minLength: 1, maxLength: 255 } }
  const query = (name: string, schema: Schema) => ({ name, in: 'query', schema })
  const routes: Record<string, Schema> = {
    '/responses': {
      post: { summary: 'Create a response', parameters: [key], requestBody: body(createSchema()), responses: create },
    },
    '/responses/compact': {
      post: {
        summary: 'Make a history small',
        requestBody: body(schemaOf(CompactSchema)),
        responses: { 200: { description: 'The compaction', content: json({ type: 'object' }) }, 400: create[400] },
      },
    },
    '/responses/{id}': {
      get: {
        summary: 'Retrieve a response, or stream it again',
        parameters: [id, query('stream', { type: 'boolean' }), query('starting_after', { type: 'integer' })],
        responses: answers,
      },
      delete: {
        summary: 'Delete a response',
        parameters: [id],
        responses: { 200: { description: 'Deleted', content: json({ type: 'object' }) }, 404: answers[404] },
      },
    },
    '/responses/{id}/cancel': { post: { summary: 'Cancel a response', parameters: [id], responses: answers } },
    '/responses/{id}/input_items': {
      get: {
        summary: 'List the input of a response',
        parameters: [
          id,
          query('limit', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
          query('order', { enum: ['asc', 'desc'], default: 'desc' }),
          query('after', { type: 'string' }),
        ],
        responses: { 200: { description: 'A page', content: json({ type: 'object' }) }, 404: answers[404] },
      },
    },
    '/models': {
      get: { summary: 'List models', responses: { 200: { description: 'A list', content: json({ type: 'object' }) } } },
    },
    '/models/{name}': {
      get: {
        summary: 'One model by its name',
        parameters: [{ name: 'name', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          200: { description: 'The model', content: json({ type: 'object' }) },
          404: fault('No model of this name is listed'),
        },
      },
    },
  }
  const security = [{ bearer: [] }]
  return Object.fromEntries(
    prefixes.flatMap((prefix) =>
      Object.entries(routes).map(([path, route]) => [prefix + path, secured(route, security)]),
    ),
  )
}

function secured(route: Schema, security: readonly Schema[]): Schema {
  return Object.fromEntries(
    Object.entries(route).map(([method, operation]) => [
      method,
      { tags: ['Responses API'], security, ...(operation as Schema) },
    ]),
  )
}

/** The request, its items spelled out: they are checked one by one, by their type. */
function createSchema(): Schema {
  const schema = schemaOf(CreateSchema)
  const typed = (type: string, of: z.ZodMiniType): Schema => ({
    allOf: [{ type: 'object', properties: { type: { const: type } } }, schemaOf(of)],
  })
  const parts = [
    typed('input_text', TextPartSchema),
    typed('output_text', TextPartSchema),
    typed('input_image', ImagePartSchema),
    typed('input_file', FilePartSchema),
  ]
  const message = schemaOf(MessageSchema)
  const content = { anyOf: [{ type: 'string' }, { type: 'array', items: { anyOf: parts } }, { type: 'null' }] }
  const items = [
    { ...message, properties: { ...(message['properties'] as Schema), content } },
    typed('function_call', FunctionCallSchema),
    typed('function_call_output', FunctionCallOutputSchema),
    typed('item_reference', ItemReferenceSchema),
    typed('compaction', CompactionSchema),
    { type: 'object', properties: { type: { const: 'reasoning' } }, required: ['type'] },
  ]
  const input = { anyOf: [{ type: 'string' }, { type: 'array', items: { anyOf: items } }] }
  const properties = { ...(schema['properties'] as Schema), input }
  return { ...schema, properties, required: ['model', 'input'], additionalProperties: true }
}

function responseSchema(): Schema {
  return {
    type: 'object',
    required: ['id', 'object', 'status', 'error', 'model', 'output', 'usage'],
    properties: {
      id: { type: 'string' },
      object: { const: 'response' },
      status: { enum: ['in_progress', 'completed', 'failed', 'cancelled'] },
      error: { anyOf: [{ type: 'null' }, { type: 'object' }] },
      model: { type: 'string' },
      output: { type: 'array', items: { type: 'object' } },
      usage: { anyOf: [{ type: 'null' }, { type: 'object' }] },
    },
  }
}

function schemaOf(schema: z.ZodMiniType): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest
}

function json(schema: Schema): Schema {
  return { 'application/json': { schema } }
}

function body(schema: Schema): Schema {
  return { required: true, content: json(schema) }
}

function plain(description: string): Schema {
  return { description, content: { 'text/plain': { schema: { type: 'string' } } } }
}

function fault(description: string): Schema {
  const field = { anyOf: [{ type: 'string' }, { type: 'null' }] }
  const properties = { message: { type: 'string' }, type: { type: 'string' }, param: field, code: field }
  const error = { type: 'object', properties, required: Object.keys(properties) }
  return { description, content: json({ type: 'object', properties: { error }, required: ['error'] }) }
}
