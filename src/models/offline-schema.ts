// The few things the offline model asks of a JSON schema.
import { isObject } from '#core/json.ts'
import type { Json } from '#core/json.ts'

export type Schema = Readonly<Record<string, unknown>>

/** References and choices followed this far; a schema that points at itself ends here. */
export const MAX_SCHEMA_DEPTH = 6

/** Follows local references, merges allOf, takes the first real branch of a choice; `nullable` when null would do. */
export function plainSchema(schema: unknown, root: Schema, depth = 0): Schema {
  if (!isObject(schema) || depth > MAX_SCHEMA_DEPTH) return {}
  if (typeof schema.$ref === 'string') return plainSchema(pointed(schema.$ref, root), root, depth + 1)
  if (Array.isArray(schema.allOf)) {
    const parts = schema.allOf.map((part) => plainSchema(part, root, depth + 1))
    return parts.reduce<Schema>(mergeSchemas, schema)
  }
  if (Array.isArray(schema.type)) {
    const types: readonly unknown[] = schema.type
    return { ...schema, type: types.find((each) => each !== 'null') ?? 'null', nullable: types.includes('null') }
  }
  const branches = branchesOf(schema)
  if (branches.length === 0 || isObject(schema.properties)) return schema
  const real = branches.filter((branch) => branch.type !== 'null')
  return { ...plainSchema(real[0], root, depth + 1), nullable: real.length < branches.length }
}

/** The branches of a oneOf or anyOf; none when the schema is no choice. */
export function branchesOf(schema: Schema): readonly Schema[] {
  const branches: unknown = schema.oneOf ?? schema.anyOf
  return Array.isArray(branches) ? branches.filter((branch) => isObject(branch)) : []
}

export function propertiesOf(schema: Schema): Schema {
  return isObject(schema.properties) ? schema.properties : {}
}

export function requiredOf(schema: Schema): readonly string[] {
  return Array.isArray(schema.required) ? schema.required.filter((each) => typeof each === 'string') : []
}

/** Both at once: properties and required of either. */
export function mergeSchemas(a: Schema, b: Schema): Schema {
  const properties = { ...propertiesOf(a), ...propertiesOf(b) }
  return { ...a, ...b, properties, required: [...new Set([...requiredOf(a), ...requiredOf(b)])] }
}

/** What a schema says of its own accord: a const, a default, a choice of one, or null. */
export function ownValue(schema: Schema): Json | undefined {
  if (schema.const !== undefined) return schema.const as Json
  if (schema.default !== undefined) return schema.default as Json
  if (Array.isArray(schema.enum) && schema.enum.length === 1) return schema.enum[0] as Json
  return schema.nullable === true || schema.type === 'null' ? null : undefined
}

function pointed(reference: string, root: Schema): unknown {
  if (!reference.startsWith('#')) return undefined
  const steps = reference
    .slice(1)
    .split('/')
    .filter((step) => step !== '')
  return steps
    .slice(0, 20)
    .reduce<unknown>((at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined), root)
}
