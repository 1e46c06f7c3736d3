// Routes of the gateway as data: method, path, schemas, who may call. The server, the OpenAPI document and the tests are
// built from them.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod/mini'
import { AppError, wrongField } from '#core/errors.ts'
import type { Caller } from './caller.ts'
import type { FindExact } from './lossless-json.ts'
import { checkBody, checkQuery } from './validate.ts'
import type { FaultBody } from './reply.ts'

/** `by-handler`: the handler counts the call, once it has read the body. */
export type Counted = true | 'by-handler'

/** Who may call: anyone, anyone with a valid credential, or only the operator. */
export type Who = 'anyone' | 'user' | 'operator'

export type JsonSchema = Readonly<Record<string, unknown>>

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** True for methods that change nothing. */
export function isSafe(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

export type Route = {
  readonly method: (typeof methods)[number]
  /** `/api/jobs/:id`; a final `*` matches the rest. */
  readonly path: string
  readonly who: Who
  /** The route sends a message, or makes a thread. Every call counts towards the chat rate limit, before its body is read. */
  readonly counted?: Counted
  /**
   * The route starts a turn whose caller waits: while the process is full, a call is refused before its body is read. One
   * with an Idempotency-Key is not, since its turn may be stored already.
   */
  readonly startsTurn?: true
  /** The route searches when it has the query `q`. Such a call counts towards the rate of changes. */
  readonly searches?: true
  /** The largest body. Default: 64 KB. */
  readonly maxBodyBytes?: number
  /** The route only says why there is none: its method is not told as one that the path takes. */
  readonly refuses?: true
  /** A page for browsers, not listed in the OpenAPI document. */
  readonly page?: true
  /** One line for the OpenAPI document. */
  readonly summary: string
  readonly query?: z.ZodMiniType
  readonly body?: z.ZodMiniType
  /** Schemas of successful answers by status; null for an answer without a body. */
  readonly answers?: Readonly<Record<number, z.ZodMiniType | null>>
  /** Further fields of the OpenAPI operation. Called only when the document is requested. */
  readonly describe?: () => JsonSchema | Promise<JsonSchema>
  /** Reads `request.body` before it awaits anything: the body is dropped then, so that it does not outlive its checks. */
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => unknown
}

/** Routes that share prefixes, the shape of errors, and how bodies are read. */
export type RouteFamily = {
  readonly routes: readonly Route[]
  /** Each route is mounted under each prefix. Default: no prefix. */
  readonly prefixes?: readonly string[]
  readonly faultBody?: FaultBody
  /** The values of a body whose numbers are kept as written. */
  readonly findExact?: FindExact
  /** The type of the bodies, instead of JSON: handlers get a Buffer. */
  readonly bodyType?: string
}

type Checked<T> = T extends z.ZodMiniType ? z.output<T> : undefined

/** `/a/:id/b/:gate` -> 'id' | 'gate' */
type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamsOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** A request whose query and body have passed the schemas of its route. */
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

/** Builds a route whose query and body are checked by its schemas before its handler runs. */
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
        query: query && checkQuery(query, request.query),
        body: body && checkBody(body, request.body),
      }
      refuseNul(request)
      return handle(call as Call<Path, Query, Body>, reply)
    },
  }
}

/** No name contains a NUL, and PostgreSQL refuses one in a query. */
function refuseNul({ params, query }: FastifyRequest): void {
  const fieldWithNul = (values: unknown): string | undefined =>
    Object.entries(values as Record<string, unknown>).find(([, value]) => String(value).includes('\0'))?.[0]
  if (fieldWithNul(params) !== undefined) throw new AppError('not_found', 'nothing has this name')
  const field = fieldWithNul(query)
  if (field !== undefined) throw wrongField(field, 'must not contain a NUL character')
}
