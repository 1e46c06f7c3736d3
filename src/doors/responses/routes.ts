// Routes of the Responses API, under both prefixes, with errors in OpenAI's envelope.
import { errorEnvelope } from '#doors/openai/error-envelope.ts'
import { parseBody } from '#doors/responses/read/body.ts'
import { cancelResponse, deleteResponse, getResponse, listInput } from '#doors/responses/tell/retrieve.ts'
import { maxFileBodyBytes } from '#http/body.ts'
import type { Route, RouteFamily } from '#http/routes.ts'
import { compactHistory } from './compact.ts'
import { createResponse } from './create.ts'
import type * as OpenApi from './openapi.ts'
import type { ResponsesParts } from './parts.ts'

export function responsesRoutes(parts: ResponsesParts): RouteFamily {
  return { prefixes: ['/api/v1', '/v1'], faultBody: errorEnvelope, parse: parseBody, routes: rows(parts) }
}

function rows(parts: ResponsesParts): Route[] {
  return [
    {
      method: 'POST',
      path: '/responses',
      who: 'user',
      counted: true,
      maxBodyBytes: maxFileBodyBytes,
      summary: 'Create a response',
      describe: described('create'),
      handle: (request, reply) => createResponse(parts, request, reply),
    },
    {
      method: 'POST',
      path: '/responses/compact',
      who: 'user',
      counted: true,
      maxBodyBytes: maxFileBodyBytes,
      summary: 'Compact a conversation history',
      describe: described('compact'),
      handle: (request) => compactHistory(parts, request),
    },
    {
      method: 'GET',
      path: '/responses/:id',
      who: 'user',
      summary: 'Retrieve a response, or stream it again',
      describe: described('retrieve'),
      handle: (request, reply) => getResponse(parts, request, reply),
    },
    {
      method: 'DELETE',
      path: '/responses/:id',
      who: 'user',
      summary: 'Delete a response',
      describe: described('remove'),
      handle: (request) => deleteResponse(parts, request),
    },
    {
      method: 'POST',
      path: '/responses/:id/cancel',
      who: 'user',
      summary: 'Cancel a response',
      describe: described('cancel'),
      handle: (request) => cancelResponse(parts, request),
    },
    {
      method: 'GET',
      path: '/responses/:id/input_items',
      who: 'user',
      summary: 'List the input items of a response',
      describe: described('inputItems'),
      handle: (request) => listInput(parts, request),
    },
  ]
}

/** Loads openapi.ts only when the document is requested. */
function described(operation: keyof typeof OpenApi): NonNullable<Route['describe']> {
  return async () => (await import('./openapi.ts'))[operation]()
}
