// Routes of the Responses API, under both prefixes, with errors in OpenAI's envelope.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import { errorEnvelope } from '#doors/openai/error-envelope.ts'
import { exactPaths } from '#doors/responses/read/body.ts'
import { cancelResponse, deleteResponse, getResponse, listInput } from '#doors/responses/tell/retrieve.ts'
import { createStreamRecords } from '#doors/responses/tell/stream-records.ts'
import { maxFileBodyBytes } from '#http/body.ts'
import type { Route, RouteFamily } from '#http/routes.ts'
import { compactHistory } from './compact.ts'
import {
  addConversationItems,
  createConversation,
  deleteConversation,
  getConversation,
  getConversationItem,
  listConversationItems,
  removeConversationItem,
  updateConversation,
} from './conversations.ts'
import { createResponse } from './create.ts'
import { countInput } from './input-tokens.ts'
import type * as OpenApi from './openapi.ts'
import type { ResponsesParts } from './parts.ts'

export function responsesRoutes(parts: Omit<ResponsesParts, 'records'>): RouteFamily {
  const routes = rows({ ...parts, records: createStreamRecords() })
  return { prefixes: ['/api/v1', '/v1'], faultBody: errorEnvelope, findExact: exactPaths, routes }
}

function rows(parts: ResponsesParts): Route[] {
  return [
    {
      method: 'POST',
      path: '/responses',
      who: 'user',
      counted: true,
      startsTurn: true,
      maxBodyBytes: maxFileBodyBytes,
      summary: 'Create a response',
      describe: described('create'),
      handle: (request, reply) => createResponse(parts, request, reply),
    },
    {
      method: 'GET',
      path: '/responses',
      who: 'user',
      refuses: true,
      summary: 'Answers 426: there is no WebSocket here',
      describe: described('upgrade'),
      handle: (request, reply) => refuseUpgrade(request, reply),
    },
    {
      method: 'POST',
      path: '/responses/input_tokens',
      who: 'user',
      counted: true,
      maxBodyBytes: maxFileBodyBytes,
      summary: 'Estimate the tokens of a request',
      describe: described('inputTokens'),
      handle: (request) => countInput(parts, request),
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
    ...conversationRows(parts),
  ]
}

/** A conversation is a thread. */
function conversationRows(parts: ResponsesParts): Route[] {
  return [
    {
      method: 'POST',
      path: '/conversations',
      who: 'user',
      counted: true,
      maxBodyBytes: maxFileBodyBytes,
      summary: 'Create a conversation',
      describe: described('createConversation'),
      handle: (request) => createConversation(parts, request),
    },
    {
      method: 'GET',
      path: '/conversations/:id',
      who: 'user',
      summary: 'Retrieve a conversation',
      describe: described('getConversation'),
      handle: (request) => getConversation(parts, request),
    },
    {
      method: 'POST',
      path: '/conversations/:id',
      who: 'user',
      summary: 'Change the metadata of a conversation',
      describe: described('updateConversation'),
      handle: (request) => updateConversation(parts, request),
    },
    {
      method: 'DELETE',
      path: '/conversations/:id',
      who: 'user',
      summary: 'Erase a conversation',
      describe: described('deleteConversation'),
      handle: (request) => deleteConversation(parts, request),
    },
    {
      method: 'GET',
      path: '/conversations/:id/items',
      who: 'user',
      summary: 'List the items of a conversation',
      describe: described('conversationItems'),
      handle: (request) => listConversationItems(parts, request),
    },
    {
      method: 'POST',
      path: '/conversations/:id/items',
      who: 'user',
      counted: true,
      maxBodyBytes: maxFileBodyBytes,
      summary: 'Add items to a conversation',
      describe: described('addConversationItems'),
      handle: (request) => addConversationItems(parts, request),
    },
    {
      method: 'GET',
      path: '/conversations/:id/items/:item',
      who: 'user',
      summary: 'Retrieve an item of a conversation',
      describe: described('conversationItem'),
      handle: (request) => getConversationItem(parts, request),
    },
    {
      method: 'DELETE',
      path: '/conversations/:id/items/:item',
      who: 'user',
      summary: 'Remove an item from a conversation',
      describe: described('removeConversationItem'),
      handle: (request) => removeConversationItem(parts, request),
    },
  ]
}

/** Clients that try a WebSocket first take 426 as a sign to go on over HTTP. */
function refuseUpgrade({ headers }: FastifyRequest, reply: FastifyReply) {
  reply.header('allow', 'POST')
  if (headers.upgrade?.toLowerCase() !== 'websocket') {
    throw new AppError('method_not_allowed', 'send POST to create a response, or GET with its id')
  }
  const message = 'responses are streamed over HTTP here: send POST with stream: true'
  const error = { message, type: 'invalid_request_error', param: null, code: 'upgrade_required' }
  return reply.code(426).send({ error })
}

/** Loads openapi.ts only when the document is requested. */
function described(operation: keyof typeof OpenApi): NonNullable<Route['describe']> {
  return async () => (await import('./openapi.ts'))[operation]()
}
