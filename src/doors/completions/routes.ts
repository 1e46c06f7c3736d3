// Routes of chat completions and the list of models, under both prefixes, with errors in OpenAI's envelope.
import { errorEnvelope } from '#doors/openai/error-envelope.ts'
import { findModel, listModels } from '#doors/openai/model-list.ts'
import { maxFileBodyBytes } from '#http/body.ts'
import type { Route, RouteFamily } from '#http/routes.ts'
import { createCompletion } from './create.ts'
import type * as OpenApi from './openapi.ts'
import type { CompletionsParts } from './parts.ts'

export function completionsRoutes(parts: CompletionsParts): RouteFamily {
  return { prefixes: ['/api/v1', '/v1'], faultBody: errorEnvelope, routes: rows(parts) }
}

function rows(parts: CompletionsParts): Route[] {
  return [
    {
      method: 'POST',
      path: '/chat/completions',
      who: 'user',
      // The model in the body decides which rate it counts for.
      counted: 'by-handler',
      maxBodyBytes: maxFileBodyBytes,
      summary: 'Create a chat completion',
      describe: described('create'),
      handle: (request, reply) => createCompletion(parts, request, reply),
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
      summary: 'Retrieve a model by its name',
      describe: described('model'),
      handle: (request) => findModel(parts, request),
    },
  ]
}

/** Loads openapi.ts only when the document is requested. */
function described(operation: keyof typeof OpenApi): NonNullable<Route['describe']> {
  return async () => (await import('./openapi.ts'))[operation]()
}
