// The routes of the gateway as rows: what a route takes and answers, and who may call it. The server, the OpenAPI
// document and the tests are made from them.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import type { ParseJson } from './body.ts'
import type { Caller } from './caller.ts'
import { check, checkBody, wrongField } from './validate.ts'
import type { FaultBody } from './reply.ts'

/** Who may call: anyone at all, whoever has a token, or only the operator. */
export type Who = 'anyone' | 'user' | 'operator'

export type JsonSchema = Readonly<Record<string, unknown>>

export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `/api/jobs/:id`; a last part `*` takes the rest. */
  readonly path: string
  readonly who: Who
  /** It sends a message: it counts for the chat rate, before its body is read and whatever becomes of it. */
  readonly counted?: true
  /** For people in a browser: no part of the document. */
  readonly page?: true
  /** One line for the document. */
  readonly summary: string
  readonly query?: z.ZodMiniType
  readonly body?: z.ZodMiniType
  /** What is answered when it goes well, by status; null is an answer without a body. */
  readonly answers?: Readonly<Record<number, z.ZodMiniType | null>>
  /** Fields of the OpenAPI operation that the row itself does not tell; asked for when the document is wanted. */
  readonly describe?: () => JsonSchema | Promise<JsonSchema>
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => unknown
}

/** Routes that stand together: under the same prefixes, with faults of the same shape. */
export type RouteFamily = {
  readonly routes: readonly Route[]
  /** Each route stands under each of them; without any, where its path says. */
  readonly prefixes?: readonly string[]
  readonly faultBody?: FaultBody
  /** How their bodies are read; as plain JSON, where nothing is said. */
  readonly parse?: ParseJson
}

type Checked<T> = T extends z.ZodMiniType ? z.output<T> : undefined

/** `/a/:id/b/:gate` -> 'id' | 'gate' */
type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamsOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** A request as a handler sees it: checked by the schemas of its row. */
export type Call<Path extends string, Query, Body> = {
  readonly caller: Caller
  readonly params: Readonly<Record<ParamsOf<Path>, string>>
  readonly query: Checked<Query>
  readonly body: Checked<Body>
}

type Row<Path extends string, Query, Body> = Omit<Route, 'handle' | 'path' | 'query' | 'body'> & {
  readonly path: Path
  readonly query?: Query
  readonly body?: Body
  readonly handle: (call: Call<Path, Query, Body>, reply: FastifyReply) => unknown
}

/** A route whose query and body are checked by the schemas that describe them, before its handler runs. */
export function route<
  const Path extends string,
  Query extends z.ZodMiniType | undefined = undefined,
  Body extends z.ZodMiniType | undefined = undefined,
>({ query, body, handle, ...row }: Row<Path, Query, Body>): Route {
  return {
    ...row,
    ...(query && { query }),
    ...(body && { body }),
    handle: (request, reply) => {
      const call = {
        caller: request.caller,
        params: request.params,
        query: query && check(query, request.query),
        body: body && checkBody(body, request.body),
      }
      refuseNul(request)
      return handle(call as Call<Path, Query, Body>, reply)
    },
  }
}

/** Nothing is named by a NUL, and not every database can look for one. */
function refuseNul({ params, query }: FastifyRequest): void {
  const held = (values: unknown): string | undefined =>
    Object.entries(values as Record<string, unknown>).find(([, value]) => String(value).includes('\0'))?.[0]
  if (held(params) !== undefined) throw new AppError('not_found', 'there is nothing of this name')
  const field = held(query)
  if (field !== undefined) throw wrongField(field, 'must not hold a NUL')
}

/** The methods that a path has: asked only when a request found no route, to tell a wrong method from a wrong path. */
export function methodsOf(routes: readonly Route[], path: string): string[] {
  const fitting = routes.filter((row) => patternOf(row.path).test(path))
  return [...new Set(fitting.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
}

/** `/api/jobs/:id/cancel` as a pattern of whole paths; `*` takes the rest. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+'
    return part.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
  })
  return new RegExp(`^${parts.join('/')}$`)
}
