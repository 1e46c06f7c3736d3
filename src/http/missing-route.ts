// Says why a request has no route: a wrong path, a wrong method, or a client's wrong base URL.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import { pathOf } from './reply.ts'

type MethodsOf = (path: string) => readonly string[]

/** What takes the place of routes of OpenAI that are not offered here. */
const replacements: Readonly<Record<string, string>> = {
  files: 'send a file in the message, as file_data',
  uploads: 'send a file in the message, as file_data',
  completions: 'send messages to /v1/chat/completions',
  assistants: 'use /v1/responses',
  threads: 'use /v1/conversations and /v1/responses',
  realtime: 'use /v1/responses with stream: true',
}

/** The fault of a request that has no route. */
export function missingRoute({ method, url }: FastifyRequest, reply: FastifyReply, methodsOf: MethodsOf): AppError {
  const path = pathOf(url)
  const allowed = methodsOf(path)
  const hint = slashHint(path) ?? baseHint(path)
  if (allowed.length === 0) {
    return new AppError('not_found', `there is no ${path} here: ${hint ?? wayOut(path, methodsOf)}`)
  }
  reply.header('allow', allowed.join(', '))
  const fault = `${path} takes ${allowed.join(', ')}, not ${method}`
  return new AppError('method_not_allowed', hint ? `${fault}: ${hint}` : fault)
}

/** For clients that join a base URL which ends with a slash to a path that begins with one. */
function slashHint(path: string): string | undefined {
  return path.includes('//') ? 'leave out the double slash: a base URL ends in /api/v1, without a slash' : undefined
}

function baseHint(path: string): string | undefined {
  if (!hasWrongBase(path)) return undefined
  if (!path.includes('/deployments/')) return 'the base URL of a client ends in /api/v1'
  return 'use a client for OpenAI, not for Azure, with a base URL that ends in /api/v1'
}

function wayOut(path: string, methodsOf: MethodsOf): string {
  if (path.endsWith('/') && methodsOf(path.slice(0, -1)).length > 0) return 'leave out the slash at the end'
  const [, root = ''] = /^(?:\/api)?\/v1\/(\w+)/.exec(path) ?? []
  return (Object.hasOwn(replacements, root) && replacements[root]) || '/api/openapi.json lists the routes'
}

/** True for the path of an OpenAI client whose base URL lacks `/api/v1`, or has more than that. */
function hasWrongBase(path: string): boolean {
  const [, base, route] = /^(.*?)(\/(?:responses|chat\/completions|models|conversations)(?:\/.*)?)$/.exec(path) ?? []
  if (base === undefined || route === undefined) return false
  return (base !== '/api/v1' && base !== '/v1') || /\/(?:responses|chat\/completions)$/.test(route.slice(1))
}
