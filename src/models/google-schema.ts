// Converts a JSON schema to the subset that Gemini accepts: it refuses a request with any other keyword. References are
// resolved, and rules outside the subset are written into the description.
import type { Json, JsonObject } from '#core/json.ts'
import { isSchema, listIn, lookUp } from './schema-parts.ts'

/** Copied unchanged. */
const copiedKeys = ['title', 'description', 'minItems', 'maxItems', 'minimum', 'maximum', 'required'] as const
/** Rules written into the description, such as `pattern: ^a`. */
const describedKeys = (
  'pattern minLength maxLength multipleOf exclusiveMinimum exclusiveMaximum uniqueItems minProperties maxProperties ' +
  'default not'
).split(' ')
/** Formats of strings and numbers that Gemini accepts. */
const formats: ReadonlySet<Json> = new Set(['date-time', 'float', 'double', 'int32', 'int64'])
const types: ReadonlySet<Json> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])
/**
 * Bounds for a schema that refers to itself: the depth, and how many parts of it are visited. Properties that a reference
 * brings, and each 100 characters of a described rule, count as parts too.
 */
const maxDepth = 12
const maxParts = 5_000
const maxRuleChars = 200
const charsPerPart = 100

type Walk = { readonly root: JsonObject; left: number }

export function geminiSchema(schema: JsonObject): JsonObject {
  return convert(schema, { root: schema, left: maxParts }, 0)
}

function convert(value: Json | undefined, walk: Walk, depth: number): JsonObject {
  if (!isSchema(value) || depth > maxDepth || --walk.left < 0) return {}
  const schema = merged(value, walk, depth)
  const converted: Record<string, Json> = {}
  for (const key of copiedKeys) if (schema[key] !== undefined) converted[key] = schema[key]
  const type = typesIn(schema['type'])
  if (type.length === 1) converted['type'] = type[0] as Json
  const values = schema['const'] === undefined ? schema['enum'] : [schema['const']]
  if (Array.isArray(values) && values.length > 0) addValues(converted, values, walk)
  if (isSchema(schema['properties'])) addProperties(converted, schema['properties'], walk, depth)
  if (converted['type'] === 'array') converted['items'] = convert(itemsIn(schema), walk, depth + 1)
  if (converted['type'] !== 'object') delete converted['required']
  if (formats.has(schema['format'] ?? '')) converted['format'] = schema['format'] as Json
  else if (schema['format'] !== undefined) describe(converted, `format: ${textOf(schema['format'], walk)}`)
  for (const key of describedKeys)
    if (schema[key] !== undefined) describe(converted, `${key}: ${textOf(schema[key], walk)}`)
  const choices = [...listIn(schema['anyOf']), ...listIn(schema['oneOf'])]
  if (choices.length > 0) return anyOf(converted, choices, walk, depth)
  return type.length > 1 ? eitherType(converted, type, schema, walk, depth) : converted
}

/** A schema merged with its `$ref` and `allOf`; its own keywords win. */
function merged(schema: JsonObject, walk: Walk, depth: number): JsonObject {
  const parts = [lookUp(schema['$ref'], walk.root), ...listIn(schema['allOf'])]
  let whole = schema
  for (const part of parts) {
    if (!isSchema(part) || depth > maxDepth || --walk.left < 0) continue
    const other = merged(part, walk, depth + 1)
    const properties = { ...propertiesOf(other), ...propertiesOf(whole) }
    walk.left -= Object.keys(properties).length
    const required = [...new Set([...listIn(whole['required']), ...listIn(other['required'])])]
    whole = {
      ...other,
      ...whole,
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
    }
  }
  return whole
}

/** An enum of strings or of numbers only; other values are described. */
function addValues(converted: Record<string, Json>, values: readonly Json[], walk: Walk): void {
  walk.left -= values.length / charsPerPart
  const kinds = new Set(values.map((each) => typeof each))
  const [kind] = kinds
  if (kinds.size === 1 && (kind === 'string' || kind === 'number')) {
    converted['enum'] = values
    converted['type'] ??= kind
  } else describe(converted, `one of: ${values.map((each) => textOf(each, walk)).join(', ')}`)
}

function addProperties(converted: Record<string, Json>, properties: JsonObject, walk: Walk, depth: number): void {
  const entries = Object.entries(properties).map(([name, each]) => [name, convert(each, walk, depth + 1)] as const)
  converted['type'] ??= 'object'
  // Gemini refuses an empty `properties`; without the keyword it takes any object.
  if (entries.length > 0 || depth === 0) converted['properties'] = Object.fromEntries(entries)
  const names = new Set(entries.map(([name]) => name))
  const required = listIn(converted['required']).filter((name) => typeof name === 'string' && names.has(name))
  if (required.length > 0) converted['required'] = required
  else delete converted['required']
}

/** Gemini takes `anyOf` only alone; beside properties the choices are described. */
function anyOf(converted: Record<string, Json>, choices: readonly Json[], walk: Walk, depth: number): JsonObject {
  if (converted['properties'] !== undefined) {
    describe(converted, `one of these holds: ${textOf(choices, walk)}`)
    return converted
  }
  return { ...wordsIn(converted), anyOf: choices.map((each) => convert(each, walk, depth + 1)) }
}

function wordsIn({ title, description }: JsonObject): JsonObject {
  return { ...(title !== undefined && { title }), ...(description !== undefined && { description }) }
}

/** `type: ['string', 'null']` as an `anyOf` with one type each. */
function eitherType(
  converted: JsonObject,
  type: readonly Json[],
  schema: JsonObject,
  walk: Walk,
  depth: number,
): JsonObject {
  const { title: _title, description: _description, ...rest } = converted
  return {
    ...wordsIn(converted),
    anyOf: type.map((each) => {
      if (each === 'null') return { type: each }
      const { title: _, description: __, ...own } = convert({ ...schema, ...rest, type: each }, walk, depth + 1)
      return own
    }),
  }
}

/** The JSON of a rule. Large ones that a schema repeats by reference use up the walk. */
function textOf(value: Json, walk: Walk): string {
  if (walk.left < 0) return '…'
  const text = JSON.stringify(value)
  walk.left -= text.length / charsPerPart
  return text
}

function describe(converted: Record<string, Json>, rule: string): void {
  const own = converted['description']
  const words = rule.length > maxRuleChars ? `${rule.slice(0, maxRuleChars)}…` : rule
  converted['description'] = typeof own === 'string' && own !== '' ? `${own} (${words})` : words
}

function itemsIn(schema: JsonObject): Json {
  const items = schema['items']
  const tuple = Array.isArray(items) ? (items as readonly Json[]) : listIn(schema['prefixItems'])
  if (isSchema(items)) return items
  return tuple.length === 0 ? { type: 'string' } : tuple.length === 1 ? (tuple[0] ?? {}) : { anyOf: tuple }
}

function typesIn(type: Json | undefined): readonly Json[] {
  return (Array.isArray(type) ? (type as readonly Json[]) : [type ?? '']).filter((each) => types.has(each))
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isSchema(properties) ? properties : {}
}
