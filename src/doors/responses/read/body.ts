// The values of a request body that are passed on as written.
import { isObject } from '#core/json.ts'
import type { Path } from '#http/lossless-json.ts'

/** Paths of the caller's own JSON (context, schemas, arguments, outputs), unless it is a string already. Most requests have none. */
export function exactPaths(body: unknown): Path[] {
  if (!isObject(body)) return []
  const { x_context: context, text, tools } = body
  const paths: Path[] = []
  if (isObject(context)) paths.push(['x_context'])
  const format = isObject(text) ? text['format'] : undefined
  if (isObject(format) && isObject(format['schema'])) paths.push(['text', 'format', 'schema'])
  for (const [at, tool] of objectsIn(tools)) if (isObject(tool['parameters'])) paths.push(['tools', at, 'parameters'])
  for (const field of ['input', 'items']) {
    for (const [at, item] of objectsIn(body[field])) {
      if (isObject(item['arguments'])) paths.push([field, at, 'arguments'])
      // An output may be any JSON, even a bare number.
      if (item['output'] !== undefined && typeof item['output'] !== 'string') paths.push([field, at, 'output'])
    }
  }
  return paths
}

function* objectsIn(value: unknown): Generator<[at: number, item: Record<string, unknown>]> {
  if (!Array.isArray(value)) return
  for (const [at, item] of value.entries()) if (isObject(item)) yield [at, item]
}
