// The Responses API door: its routes under both prefixes, in the reference's words. Callers are known already.
import type { FastifyInstance } from 'fastify'
import { AppError } from '#core/errors.ts'
import { cancelResponse, deleteResponse, getResponse, listInput } from '#doors/responses/tell/retrieve.ts'
import { bodyLimit } from '#http/body.ts'
import { compactHistory } from './compact.ts'
import { createResponse } from './create.ts'
import { sendFault } from './faults.ts'
import type { ResponsesParts } from './parts.ts'

const prefixes = ['/api/v1', '/v1']

/** Mounts the API. The hook that sets `request.caller` must be registered on the instance or above it. */
export function registerResponses(app: FastifyInstance, parts: ResponsesParts): void {
  for (const prefix of prefixes) {
    app.register(
      (scope, _options, done) => {
        mount(scope, parts)
        done()
      },
      { prefix },
    )
  }
}

function mount(scope: FastifyInstance, parts: ResponsesParts): void {
  scope.setErrorHandler((error, request, reply) => sendFault(error, request, reply, parts.log))
  scope.setNotFoundHandler((request, reply) => {
    const message = `there is no ${request.method} ${request.url.split('?', 1)[0]}: see the documentation of this API`
    return sendFault(new AppError('not_found', message), request, reply, parts.log)
  })
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit }, (_request, body, done) => {
    readJson(String(body), done)
  })

  scope.post('/responses', {
    bodyLimit,
    // Before the body is read: every create counts, refused ones too.
    onRequest: ({ caller }) => parts.chatLimit.take(caller),
    handler: (request, reply) => createResponse(parts, request, reply),
  })
  scope.post('/responses/compact', { bodyLimit, handler: (request) => compactHistory(parts, request) })
  scope.get('/responses/:id', (request, reply) => getResponse(parts, request, reply))
  scope.delete('/responses/:id', (request) => deleteResponse(parts, request))
  scope.post('/responses/:id/cancel', (request) => cancelResponse(parts, request))
  scope.get('/responses/:id/input_items', (request) => listInput(parts, request))

  scope.get('/models', () => listModels(parts))
  scope.get('/models/*', (request) => findModel(parts, (request.params as { '*': string })['*']))
}

async function listModels({ models }: ResponsesParts) {
  return { object: 'list', data: (await models()).map(modelObject) }
}

async function findModel({ models }: ResponsesParts, name: string) {
  if ((await models()).includes(name)) return modelObject(name)
  throw new AppError('not_found', `no model ${name} is listed: any name is accepted, settings choose the model`)
}

/** Any field may have any name, so bodies are parsed as they are; an empty one is none. */
function readJson(body: string, done: (error: Error | null, value?: unknown) => void): void {
  if (body.trim() === '') return done(null, undefined)
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (error) {
    return done(new AppError('invalid_input', 'the request body is not valid JSON', { cause: error }))
  }
  done(null, value)
}

function modelObject(id: string) {
  return { id, object: 'model', created: 0, owned_by: 'atrium' }
}
