// The body of a request: plain JSON, but for the values that are passed on as their caller wrote them.
import { isObject } from '#core/json.ts'
import { hasRawNumbers, mayLoseDigits, parseLossless } from '#http/lossless-json.ts'

/** Where a value stands in the body. */
type Place = readonly [...PropertyKey[], last: PropertyKey]

/** Parses a body. What is the caller's own JSON (context, schemas, arguments, outputs) keeps its numbers as written. */
export function parseBody(text: string): unknown {
  const body: unknown = JSON.parse(text)
  const places = ownPlaces(body)
  if (places.length === 0 || !mayLoseDigits(text)) return body
  try {
    const exact = parseLossless(text)
    for (const place of places) {
      if (!hasRawNumbers(valueAt(exact, place))) continue
      const holder = valueAt(body, place.slice(0, -1)) as Record<PropertyKey, unknown>
      holder[place.at(-1) as PropertyKey] = valueAt(exact, place)
    }
  } catch (error) {
    // Some other field is nested too deeply to be looked at twice.
    if (!(error instanceof RangeError)) throw error
  }
  return body
}

/** Places of values that are not texts already. Most requests have none. */
function ownPlaces(body: unknown): Place[] {
  if (!isObject(body)) return []
  const { x_context: context, text, tools, input } = body
  const places: Place[] = []
  if (isObject(context)) places.push(['x_context'])
  if (isObject(text)) places.push(['text', 'format', 'schema'])
  for (const [at, tool] of listed(tools)) if (isObject(tool['parameters'])) places.push(['tools', at, 'parameters'])
  for (const [at, item] of listed(input)) {
    if (isObject(item['arguments'])) places.push(['input', at, 'arguments'])
    // An output may be any JSON, a bare number too.
    if (item['output'] !== undefined && typeof item['output'] !== 'string') places.push(['input', at, 'output'])
  }
  return places
}

function* listed(value: unknown): Generator<[at: number, item: Record<string, unknown>]> {
  if (!Array.isArray(value)) return
  for (const [at, item] of value.entries()) if (isObject(item)) yield [at, item]
}

function valueAt(value: unknown, place: readonly PropertyKey[]): unknown {
  return place.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null | undefined)?.[key], value)
}
