// A JSON schema in the words that Gemini knows: it refuses a request for a keyword beyond its subset. References are
// replaced by what they name, and rules it does not know are told in the description.
import type { Json, JsonObject } from '#core/json.ts'
import { isSchema, listIn, lookUp } from './schema-parts.ts'

/** Taken over as they are. */
const kept = ['title', 'description', 'minItems', 'maxItems', 'minimum', 'maximum', 'required'] as const
/** Rules in words: `pattern: ^a`. */
const told = [
  'pattern',
  'minLength',
  'maxLength',
  'multipleOf',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'default',
  'not',
] as const
/** Of a text and of numbers. */
const formats: ReadonlySet<Json> = new Set(['date-time', 'float', 'double', 'int32', 'int64'])
const types: ReadonlySet<Json> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])
/** A schema that refers to itself is told so deep; so many parts of it are looked at. */
const deepest = 12
const maxParts = 2000
const maxToldChars = 200

type Walk = { readonly root: JsonObject; left: number }

export function geminiSchema(schema: JsonObject): JsonObject {
  return convert(schema, { root: schema, left: maxParts }, 0)
}

function convert(value: Json | undefined, walk: Walk, depth: number): JsonObject {
  if (!isSchema(value) || depth > deepest || --walk.left < 0) return {}
  const schema = merged(value, walk, depth)
  const made: Record<string, Json> = {}
  for (const key of kept) if (schema[key] !== undefined) made[key] = schema[key]
  const type = typesIn(schema['type'])
  if (type.length === 1) made['type'] = type[0] as Json
  const values = schema['const'] === undefined ? schema['enum'] : [schema['const']]
  if (Array.isArray(values) && values.length > 0) addValues(made, values)
  if (isSchema(schema['properties'])) addProperties(made, schema['properties'], walk, depth)
  if (made['type'] === 'array') made['items'] = convert(itemsIn(schema), walk, depth + 1)
  if (made['type'] !== 'object') delete made['required']
  if (formats.has(schema['format'] ?? '')) made['format'] = schema['format'] as Json
  else if (schema['format'] !== undefined) describe(made, `format: ${JSON.stringify(schema['format'])}`)
  for (const key of told) if (schema[key] !== undefined) describe(made, `${key}: ${JSON.stringify(schema[key])}`)
  const choices = [...listIn(schema['anyOf']), ...listIn(schema['oneOf'])]
  if (choices.length > 0) return oneOfThem(made, choices, walk, depth)
  return type.length > 1 ? eitherType(made, type, schema, walk, depth) : made
}

/** A schema with what it refers to and all that must hold beside it; its own words come first. */
function merged(schema: JsonObject, walk: Walk, depth: number): JsonObject {
  const parts = [lookUp(schema['$ref'], walk.root), ...listIn(schema['allOf'])]
  let whole = schema
  for (const part of parts) {
    if (!isSchema(part) || depth > deepest || --walk.left < 0) continue
    const other = merged(part, walk, depth + 1)
    const properties = { ...objectAt(other, 'properties'), ...objectAt(whole, 'properties') }
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

/** Texts and numbers only, all of one kind; others are told. */
function addValues(made: Record<string, Json>, values: readonly Json[]): void {
  const kinds = new Set(values.map((each) => typeof each))
  const [kind] = kinds
  if (kinds.size === 1 && (kind === 'string' || kind === 'number')) {
    made['enum'] = values
    made['type'] ??= kind
  } else describe(made, `one of: ${values.map((each) => JSON.stringify(each)).join(', ')}`)
}

function addProperties(made: Record<string, Json>, properties: JsonObject, walk: Walk, depth: number): void {
  const converted = Object.entries(properties).map(([name, each]) => [name, convert(each, walk, depth + 1)] as const)
  made['type'] ??= 'object'
  // An object without properties is refused; without the keyword any object is meant.
  if (converted.length > 0 || depth === 0) made['properties'] = Object.fromEntries(converted)
  const names = new Set(converted.map(([name]) => name))
  const required = listIn(made['required']).filter((name) => typeof name === 'string' && names.has(name))
  if (required.length > 0) made['required'] = required
  else delete made['required']
}

/** A choice stands alone; beside properties it is told. */
function oneOfThem(made: Record<string, Json>, choices: readonly Json[], walk: Walk, depth: number): JsonObject {
  if (made['properties'] !== undefined) {
    describe(made, `one of these holds: ${JSON.stringify(choices)}`)
    return made
  }
  const { title, description } = made
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    anyOf: choices.map((each) => convert(each, walk, depth + 1)),
  }
}

/** `type: ['string', 'null']`: a choice of one type each. */
function eitherType(
  made: JsonObject,
  type: readonly Json[],
  schema: JsonObject,
  walk: Walk,
  depth: number,
): JsonObject {
  const { title, description, ...rest } = made
  const words = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) }
  return {
    ...words,
    anyOf: type.map((each) => {
      if (each === 'null') return { type: each }
      const { title: _, description: __, ...own } = convert({ ...schema, ...rest, type: each }, walk, depth + 1)
      return own
    }),
  }
}

function describe(made: Record<string, Json>, rule: string): void {
  const own = made['description']
  const words = rule.length > maxToldChars ? `${rule.slice(0, maxToldChars)}…` : rule
  made['description'] = typeof own === 'string' && own !== '' ? `${own} (${words})` : words
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

function objectAt(schema: JsonObject, key: string): JsonObject {
  const value = schema[key]
  return isSchema(value) ? value : {}
}
