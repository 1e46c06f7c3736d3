// GET /api/openapi.json: the gateway's routes, described by the schemas that check them.
import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { FaultWire } from './wire.ts'

/** Path -> operations, as OpenAPI 3.1 has them. */
export type OpenApiPaths = Readonly<Record<string, object>>

export type OpenApiParts = {
  readonly version: string
  /** The paths of every door on the gateway; asked for once, when the document is first wanted. */
  readonly paths: readonly (() => OpenApiPaths)[]
}

export function registerOpenApi(app: FastifyInstance, parts: OpenApiParts): void {
  let document: string | undefined
  app.get('/api/openapi.json', (_request, reply) => {
    document ??= JSON.stringify(describe(parts))
    return reply.type('application/json; charset=utf-8').send(document)
  })
}

/** The request body of an operation. */
export function takes(schema: z.ZodMiniType): object {
  return { requestBody: { required: true, content: json(schema, 'input') } }
}

/** The query, and the names in the path, of an operation. */
export function asks(query: z.ZodMiniType, ...names: string[]): object {
  const { properties = {} } = schemaOf(query, 'input')
  const fields = Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }))
  return { parameters: [...pathParameters(names), ...fields] }
}

/** The names in the path of an operation. */
export function idParam(...names: string[]): object {
  return { parameters: pathParameters(names) }
}

/** What an operation answers when it succeeds, and that it may fail. */
export function answers(status: number, schema: z.ZodMiniType): object {
  return { responses: { [status]: { description: 'Done', content: json(schema, 'output') }, ...failures() } }
}

/** An operation that answers without a body. */
export function nothing(): object {
  return { responses: { 204: { description: 'Done' }, ...failures() } }
}

/** The open routes of the server, which no door describes. */
export function healthPaths(): OpenApiPaths {
  const Health = z.object({ status: z.string(), reasons: z.optional(z.array(z.string())) })
  const open = { security: [] }
  return {
    '/api/health': { get: { summary: 'Whether the service is up', ...open, ...answers(200, Health) } },
    '/api/ready': { get: { summary: 'Whether work can be taken', ...open, ...answers(200, Health) } },
  }
}

function describe({ version, paths }: OpenApiParts): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Atrium web gateway', version },
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    paths: Object.assign({}, ...paths.map((each) => each())) as object,
  }
}

function failures(): object {
  return {
    default: { description: 'The code says what went wrong', content: json(z.object({ error: FaultWire }), 'output') },
  }
}

function json(schema: z.ZodMiniType, io: 'input' | 'output'): object {
  return { 'application/json': { schema: schemaOf(schema, io) } }
}

function schemaOf(schema: z.ZodMiniType, io: 'input' | 'output'): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

function pathParameters(names: readonly string[]): object[] {
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
}
