// Says why a request has no route: a wrong path, a wrong method, or a client's wrong base URL.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#core/errors.ts'
import { pathOf } from './reply.ts'

/** The fault of a request that has no route. `allowed` are the methods of its path. */
export function missingRoute({ method, url }: FastifyRequest, reply: FastifyReply, allowed: string[]): AppError {
  const path = pathOf(url)
  const hint = hasWrongBase(path) ? ': the base URL of a client ends in /api/v1' : ''
  if (allowed.length === 0) {
    return new AppError('not_found', `there is no ${path} here${hint || ': /api/openapi.json lists the routes'}`)
  }
  reply.header('allow', allowed.join(', '))
  return new AppError('method_not_allowed', `${path} takes ${allowed.join(', ')}, not ${method}${hint}`)
}

/** True for the path of an OpenAI client whose base URL lacks `/api/v1`, or has more than that. */
function hasWrongBase(path: string): boolean {
  const [, base, route] = /^(.*?)(\/(?:responses|chat\/completions|models|conversations)(?:\/.*)?)$/.exec(path) ?? []
  if (base === undefined || route === undefined) return false
  return (base !== '/api/v1' && base !== '/v1') || /\/(?:responses|chat\/completions)$/.test(route.slice(1))
}
