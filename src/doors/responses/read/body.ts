// Parsing a request body: plain JSON, except for values that are passed on as written.
import { isObject } from '#core/json.ts'
import { hasRawNumbers, maxLosslessValues, mayLoseDigits, parseLossless } from '#http/lossless-json.ts'

/** The keys that lead to a value in the body. */
type Path = readonly [...PropertyKey[], last: PropertyKey]

/** Parses a body. The caller's own JSON (context, schemas, arguments, outputs) keeps its numbers as written. */
export function parseBody(text: string, values = 0): unknown {
  const body: unknown = JSON.parse(text)
  const paths = losslessPaths(body)
  if (paths.length === 0 || values > maxLosslessValues || !mayLoseDigits(text)) return body
  try {
    const lossless = parseLossless(text)
    for (const path of paths) {
      const value = valueAt(lossless, path)
      if (!hasRawNumbers(value)) continue
      const parent = valueAt(body, path.slice(0, -1)) as Record<PropertyKey, unknown>
      parent[path.at(-1) as PropertyKey] = value
    }
  } catch (error) {
    // Some other field is nested too deeply for the second parse, which recurses. Plain numbers then have to do.
    if (!(error instanceof RangeError)) throw error
  }
  return body
}

/** Paths of the caller's own JSON values, unless they are strings already. Most requests have none. */
function losslessPaths(body: unknown): Path[] {
  if (!isObject(body)) return []
  const { x_context: context, text, tools } = body
  const paths: Path[] = []
  if (isObject(context)) paths.push(['x_context'])
  if (isObject(text)) paths.push(['text', 'format', 'schema'])
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

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key], value)
}
