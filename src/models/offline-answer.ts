// An answer that must follow a JSON schema: filled from the message where it can be, valid where it cannot.
import { isObject } from '#core/json.ts'
import type { Json } from '#core/json.ts'
import { findValue } from './offline-fill.ts'
import type { Heard } from './offline-hear.ts'
import { branchesOf, MAX_SCHEMA_DEPTH, mergeSchemas, plainSchema, propertiesOf, requiredOf } from './offline-schema.ts'
import type { Schema } from './offline-schema.ts'

type Facts = Readonly<Record<string, unknown>>
type Source = { readonly root: Schema; readonly heard: Heard; readonly facts: Facts; readonly now: number }

const NAMED = /(?:^|_)(?:name|city|place|location|country|person|author|company|origin|destination)$/i

/** A value of the schema; required properties only. `facts` are what tools answered: their fields come first. */
export function answerFor(schema: Schema, source: Omit<Source, 'root'>): Json {
  return valueFor('', schema, { ...source, root: schema }, 0)
}

function valueFor(name: string, given: unknown, source: Source, depth: number): Json {
  const schema = depth > MAX_SCHEMA_DEPTH ? {} : chosen(given, source.root)
  if (schema.const !== undefined) return schema.const as Json
  const fact = Object.hasOwn(source.facts, name) ? source.facts[name] : undefined
  if (fact !== undefined && fits(fact, schema)) return fact as Json
  const said = name === '' ? undefined : findValue(name, schema, source.heard)
  if (said !== undefined) return said
  if (Array.isArray(schema.enum)) return schema.enum[0] as Json
  switch (schema.type) {
    case 'object':
      return objectFor(schema, source, depth)
    case 'array':
      return Array.from({ length: Math.min(Number(schema.minItems ?? 0), 100) }, () =>
        valueFor('', schema.items, source, depth + 1),
      )
    case 'number':
    case 'integer':
      return numberFor(name, schema, source)
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return isObject(schema.properties) ? objectFor(schema, source, depth) : textFor(name, schema, source)
  }
}

/** The first branch of a choice at any level, joined with what stands beside it. */
function chosen(given: unknown, root: Schema): Schema {
  const schema = plainSchema(given, root)
  const branch = branchesOf(schema)[0]
  return branch === undefined ? schema : mergeSchemas(schema, plainSchema(branch, root))
}

function objectFor(schema: Schema, source: Source, depth: number): Json {
  const properties = propertiesOf(schema)
  return Object.fromEntries(requiredOf(schema).map((key) => [key, valueFor(key, properties[key], source, depth + 1)]))
}

/** A number that was said and is allowed, else the allowed one nearest to zero. */
function numberFor(name: string, schema: Schema, { heard }: Source): number {
  const above =
    schema.exclusiveMinimum === undefined ? Number(schema.minimum ?? -Infinity) : Number(schema.exclusiveMinimum) + 1
  const below =
    schema.exclusiveMaximum === undefined ? Number(schema.maximum ?? Infinity) : Number(schema.exclusiveMaximum) - 1
  const only = heard.numbers.length === 1 && name !== '' ? heard.numbers[0]?.value : undefined
  const whole = only !== undefined && (schema.type === 'number' || Number.isInteger(only))
  if (only !== undefined && whole && only >= above && only <= below) return only
  const nearest = Math.min(Math.max(0, above), below)
  return schema.type === 'integer' ? Math.ceil(nearest) : nearest
}

function textFor(name: string, schema: Schema, { heard, now }: Source): string {
  switch (schema.format) {
    case 'date':
      return new Date(now).toISOString().slice(0, 10)
    case 'date-time':
      return new Date(now).toISOString()
    case 'time':
      return new Date(now).toISOString().slice(11)
    case 'email':
      return 'nobody@example.com'
    case 'uri':
      return 'https://example.com/'
    case 'uuid':
      return '00000000-0000-4000-8000-000000000000'
    default: {
      const text = (NAMED.test(name) ? (heard.quoted[0] ?? heard.names.at(0)?.text) : undefined) ?? heard.text
      return text
        .slice(0, Number(schema.maxLength ?? Infinity))
        .padEnd(Math.min(Number(schema.minLength ?? 0), 10_000), '.')
    }
  }
}

function fits(value: unknown, { type, enum: choices }: Schema): boolean {
  if (Array.isArray(choices) && !choices.includes(value)) return false
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value) && value.length === 0
  if (type === 'object') return false
  return type === undefined || type === (value === null ? 'null' : typeof value)
}
