// The Responses API door: its rows, under both prefixes, and faults in the reference's words.
import type { FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import { parseBody } from '#doors/responses/read/body.ts'
import { cancelResponse, deleteResponse, getResponse, listInput } from '#doors/responses/tell/retrieve.ts'
import type { FaultBody } from '#http/reply.ts'
import type { Route, RouteFamily } from '#http/routes.ts'
import { compactHistory } from './compact.ts'
import { createResponse } from './create.ts'
import type * as OpenApi from './openapi.ts'
import type { ResponsesParts } from './parts.ts'

export function responsesRoutes(parts: ResponsesParts): RouteFamily {
  return { prefixes: ['/api/v1', '/v1'], faultBody, parse: parseBody, routes: rows(parts) }
}

function rows(parts: ResponsesParts): Route[] {
  return [
    {
      method: 'POST',
      path: '/responses',
      who: 'user',
      counted: true,
      summary: 'Create a response',
      describe: described('create'),
      handle: (request, reply) => createResponse(parts, request, reply),
    },
    {
      method: 'POST',
      path: '/responses/compact',
      who: 'user',
      counted: true,
      summary: 'Make a history small',
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
      summary: 'List the input of a response',
      describe: described('inputItems'),
      handle: (request) => listInput(parts, request),
    },
    {
      method: 'GET',
      path: '/models',
      who: 'user',
      summary: 'List models',
      describe: described('models'),
      handle: () => listModels(parts),
    },
    {
      method: 'GET',
      path: '/models/*',
      who: 'user',
      summary: 'One model by its name',
      describe: described('model'),
      handle: (request) => findModel(parts, request),
    },
  ]
}

/** Nothing else needs what makes the document. */
function described(operation: keyof typeof OpenApi): NonNullable<Route['describe']> {
  return async () => (await import('./openapi.ts'))[operation]()
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
}

/** The reference's error envelope. */
const faultBody: FaultBody = ({ code, message, param = null }, status) => {
  const type = types[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error')
  return { error: { message, type, param, code } }
}

async function listModels({ models }: ResponsesParts) {
  return { object: 'list', data: (await models()).map(modelObject) }
}

/** A name may have slashes. */
async function findModel({ models }: ResponsesParts, { params }: FastifyRequest) {
  const name = (params as { '*': string })['*']
  if ((await models()).includes(name)) return modelObject(name)
  throw new AppError('not_found', `no model ${name} is listed: any name is accepted, settings choose the model`)
}

function modelObject(id: string) {
  return { id, object: 'model', created: 0, owned_by: 'atrium' }
}
