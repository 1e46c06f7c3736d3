// OpenAPI operations of this door, generated from the schemas that check requests.
import * as z from 'zod/mini'
import { ToolSchema } from '#doors/openai/caller-tools.ts'
import { fault, object, refusals } from '#doors/openai/openapi-answers.ts'
import { FilePartSchema, ImagePartSchema, TextPartSchema } from '#doors/openai/content.ts'
import {
  CompactionSchema,
  CompactSchema,
  ConversationSchema,
  CreateSchema,
  FunctionCallOutputSchema,
  FunctionCallSchema,
  ItemReferenceSchema,
  MessageSchema,
} from '#doors/responses/read/schemas.ts'
import { maxIdempotencyKeyChars } from '#http/idempotency-key.ts'
import { jsonContent, schemaOf } from '#http/openapi.ts'
import type { JsonSchema } from '#http/routes.ts'

export function create(): JsonSchema {
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    schema: { type: 'string', minLength: 1, maxLength: maxIdempotencyKeyChars },
  }
  return {
    ...tagged,
    parameters: [key, { name: 'X-Atrium-Events', in: 'header', schema: { enum: ['specified', 'reference'] } }],
    requestBody: body(createSchema()),
    responses: {
      200: {
        description: 'The response, or its events with stream: true. A turn that failed has status failed.',
        content: { ...jsonContent(responseSchema()), 'text/event-stream': { schema: { type: 'string' } } },
      },
      ...refusals(),
      409: fault('The thread already runs a turn'),
    },
  }
}

export function compact(): JsonSchema {
  const responses = { 200: object('The compaction'), 400: fault('A field is wrong; param names it') }
  return { ...tagged, requestBody: body(schemaOf(CompactSchema)), responses }
}

export function inputTokens(): JsonSchema {
  const responses = { 200: object('The estimate'), 400: fault('A field is wrong; param names it') }
  return { ...tagged, requestBody: body({ ...createSchema(), required: ['input'] }), responses }
}

export function upgrade(): JsonSchema {
  return { ...tagged, responses: { 405: fault('Send POST'), 426: fault('There is no WebSocket here') } }
}

export function retrieve(): JsonSchema {
  const query = [inQuery('stream', { type: 'boolean' }), inQuery('starting_after', { type: 'integer' })]
  return { ...tagged, parameters: [id, ...query], responses: { 200: response(), 404: unknown() } }
}

export function cancel(): JsonSchema {
  return { ...tagged, parameters: [id], responses: { 200: response(), 404: unknown() } }
}

export function remove(): JsonSchema {
  return { ...tagged, parameters: [id], responses: { 200: object('Deleted'), 404: unknown() } }
}

export function inputItems(): JsonSchema {
  return { ...tagged, parameters: [id, ...pageQuery], responses: { 200: object('A page'), 404: unknown() } }
}

export function createConversation(): JsonSchema {
  const responses = { 200: object('The conversation'), 400: fault('A field is wrong; param names it') }
  return { ...tagged, requestBody: { content: jsonContent(schemaOf(ConversationSchema)) }, responses }
}

export function getConversation(): JsonSchema {
  return {
    ...tagged,
    parameters: [inConversation],
    responses: { 200: object('The conversation'), 404: noConversation() },
  }
}

export function updateConversation(): JsonSchema {
  return { ...getConversation(), requestBody: body(schemaOf(z.pick(ConversationSchema, { metadata: true }))) }
}

export function deleteConversation(): JsonSchema {
  return { ...tagged, parameters: [inConversation], responses: { 200: object('Erased'), 404: noConversation() } }
}

export function conversationItems(): JsonSchema {
  const responses = { 200: object('A page'), 404: noConversation() }
  return { ...tagged, parameters: [inConversation, ...pageQuery], responses }
}

export function addConversationItems(): JsonSchema {
  const responses = {
    200: object('The items that were added'),
    400: fault('A field is wrong; param names it'),
    404: noConversation(),
    409: fault('The conversation runs a turn, or one waits for an approval'),
  }
  const items = schemaOf(z.required(z.pick(ConversationSchema, { items: true })))
  return { ...tagged, parameters: [inConversation], requestBody: body(items), responses }
}

export function conversationItem(): JsonSchema {
  return {
    ...tagged,
    parameters: [inConversation, itemInPath],
    responses: { 200: object('The item'), 404: noItem() },
  }
}

export function removeConversationItem(): JsonSchema {
  const responses = {
    200: object('The conversation'),
    400: fault('A response has read or written the item'),
    404: noItem(),
  }
  return { ...tagged, parameters: [inConversation, itemInPath], responses }
}

const pageQuery = [
  inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
  inQuery('order', { enum: ['asc', 'desc'], default: 'desc' }),
  inQuery('after', { type: 'string' }),
]
const tagged = { tags: ['Responses API'] }
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', pattern: '^resp_[0-9a-f]{64}$' } }

const inConversation = {
  name: 'id',
  in: 'path',
  required: true,
  schema: { type: 'string', pattern: '^conv_[0-9a-f-]{32,36}$' },
}

const itemInPath = {
  name: 'item',
  in: 'path',
  required: true,
  schema: { type: 'string', pattern: '^(msg|fc)_[0-9a-f]{64}$' },
}

/** `CreateSchema` with the schemas of input items filled in: requests check each item by its type. */
function createSchema(): JsonSchema {
  const schema = schemaOf(CreateSchema)
  const typed = (type: string, of: z.ZodMiniType): JsonSchema => ({
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
    { ...message, properties: { ...(message['properties'] as JsonSchema), content } },
    typed('function_call', FunctionCallSchema),
    typed('function_call_output', FunctionCallOutputSchema),
    typed('item_reference', ItemReferenceSchema),
    typed('compaction', CompactionSchema),
    { type: 'object', properties: { type: { const: 'reasoning' } }, required: ['type'] },
  ]
  const input = { anyOf: [{ type: 'string' }, { type: 'array', items: { anyOf: items } }] }
  const tools = { anyOf: [{ type: 'array', items: schemaOf(ToolSchema) }, { type: 'null' }] }
  const properties = { ...(schema['properties'] as JsonSchema), input, tools }
  return { ...schema, properties, required: ['model', 'input'], additionalProperties: true }
}

function responseSchema(): JsonSchema {
  return {
    type: 'object',
    required: ['id', 'object', 'status', 'error', 'model', 'output', 'usage'],
    properties: {
      id: { type: 'string' },
      object: { const: 'response' },
      status: { enum: ['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'] },
      error: { anyOf: [{ type: 'null' }, { type: 'object' }] },
      model: { type: 'string' },
      output: { type: 'array', items: { type: 'object' } },
      usage: { anyOf: [{ type: 'null' }, { type: 'object' }] },
    },
  }
}

function inQuery(name: string, schema: JsonSchema): JsonSchema {
  return { name, in: 'query', schema }
}

function body(schema: JsonSchema): JsonSchema {
  return { required: true, content: jsonContent(schema) }
}

function response(): JsonSchema {
  return { description: 'The response object', content: jsonContent(responseSchema()) }
}

function unknown(): JsonSchema {
  return fault('No response of the caller has this id')
}

function noItem(): JsonSchema {
  return fault('No conversation of the caller has this item')
}

function noConversation(): JsonSchema {
  return fault('No conversation of the caller has this id')
}
