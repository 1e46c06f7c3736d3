// Checks the parameters of a call against the tool's schema. Supports the part of JSON Schema that built-in tools use.
import { wrongField } from './errors.ts'
import { isObject, type JsonObject, objectIn } from './json.ts'
import type { Tool, ToolContext } from './tool.ts'

/** The schema of one parameter. */
type Field = {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'object'
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly enum?: readonly string[]
}

/** A schema that allows only these parameters. */
export function schemaOf(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false }
}

/** The schema of a parameter that is a text. */
export function textField(description: string): JsonObject {
  return { type: 'string', description }
}

export type CheckedParts<Args> = {
  readonly description: string
  /** The schemas of the parameters. */
  readonly fields: JsonObject
  readonly required: readonly string[]
  readonly run: (args: Args, context: ToolContext) => Promise<string>
}

/** The spec of a tool, and a run that gets checked parameters. */
export function checkedTool<Args>(name: string, { description, fields, required, run }: CheckedParts<Args>) {
  const parameters = schemaOf(fields, required)
  return {
    spec: { name, description, parameters },
    // oxlint-disable-next-line require-await -- a fault of the arguments is a rejection too
    run: async (args, context) => run(readParams(parameters, args) as Args, context),
  } satisfies Partial<Tool>
}

/** The checked parameters of a call; null counts as missing. Throws invalid_input that names the wrong parameter. */
export function readParams(schema: JsonObject, args: string): JsonObject {
  const fields = schema['properties'] as { readonly [name: string]: Field }
  const entries = Object.entries(objectIn(args) ?? {}).filter(([, value]) => value !== null)
  for (const [name, value] of entries) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (!field)
      throw wrongField(name || '""', `is not a parameter; the parameters are ${Object.keys(fields).join(', ')}`)
    const problem = problemOf(field, value)
    if (problem) throw wrongField(name, problem)
  }
  const missing = (schema['required'] as readonly string[]).find((name) => !entries.some(([each]) => each === name))
  if (missing) throw wrongField(missing, 'is missing')
  return Object.fromEntries(entries)
}

function problemOf(field: Field, value: unknown): string | undefined {
  const { type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER, minLength = 0, maxLength = Infinity } = field
  switch (type) {
    case 'string':
      if (typeof value !== 'string') return 'must be a text'
      if (field.enum && !field.enum.includes(value)) return `must be one of ${field.enum.join(', ')}`
      if (value.length < minLength) return 'must not be empty'
      return value.length > maxLength ? `must have at most ${maxLength} characters` : undefined
    case 'integer': {
      const fits = Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum
      return fits ? undefined : `must be a whole number from ${minimum} to ${maximum}`
    }
    case 'number': {
      const fits = typeof value === 'number' && value >= minimum && value <= maximum
      return fits ? undefined : `must be a number from ${minimum} to ${maximum}`
    }
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'object': {
      const texts = isObject(value) && Object.values(value).every((each) => typeof each === 'string')
      return texts ? undefined : 'must be an object of texts'
    }
    default:
      return type satisfies never
  }
}
