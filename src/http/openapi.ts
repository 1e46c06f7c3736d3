// The OpenAPI document, generated from the routes and the schemas that check them.
import * as z from 'zod/mini'
import { pace } from '#lib/pace.ts'
import type { JsonSchema, Route } from './routes.ts'

export async function describeRoutes(routes: readonly Route[], version: string): Promise<JsonSchema> {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const row of routes) {
    if (row.page) continue
    const operations = (paths[braced(row.path)] ??= {})
    operations[row.method.toLowerCase()] = await operationOf(row)
    await pace()
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Atrium web gateway', version },
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    paths,
  }
}

/** A zod schema as JSON Schema, for what a client sends (`input`) or receives (`output`). */
export function schemaOf(schema: z.ZodMiniType, io: 'input' | 'output' = 'input'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

export function jsonContent(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } }
}

const fault = z.object({
  error: z.object({ code: z.string(), message: z.string(), param: z.optional(z.string()) }),
})

async function operationOf(row: Route): Promise<JsonSchema> {
  const parameters = [...pathParameters(row.path), ...(row.query ? queryParameters(row.query) : [])]
  const summary = row.who === 'operator' ? `${row.summary} (operator)` : row.summary
  return {
    summary,
    ...(row.who === 'anyone' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(row.body && { requestBody: { required: true, content: jsonContent(schemaOf(row.body)) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(row.answers ?? {}).map(([status, schema]) => [
          status,
          { description: 'Done', ...(schema && { content: jsonContent(schemaOf(schema, 'output')) }) },
        ]),
      ),
      default: { description: 'The code says what went wrong', content: jsonContent(schemaOf(fault, 'output')) },
    },
    ...(await row.describe?.()),
  }
}

/** `/api/jobs/:id` -> `/api/jobs/{id}`; a final `*` becomes `{rest}`. */
function braced(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{rest}')
}

function pathParameters(path: string): JsonSchema[] {
  const names = [...braced(path).matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
}

function queryParameters(query: z.ZodMiniType): JsonSchema[] {
  const { properties = {} } = schemaOf(query) as { properties?: Record<string, JsonSchema> }
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', schema }))
}
