// Adapts tool schemas to providers. Providers refuse a composition at the top level, so it is flattened into one object
// and its branches are described in words. The tool itself still checks arguments against the original schema.
import { canonical, isObject, type Json, type JsonObject } from '#core/json.ts'
import type { ToolSpec } from '#core/tool.ts'
import { isSchema, listIn, lookUp } from './schema-parts.ts'

/** The longest description that OpenAI takes. Notes that do not fit go into the schema's own description. */
const maxDescriptionChars = 1024
const maxNoteChars = 4000
/** Nested references and compositions are followed to this depth; deeper ones are left out. */
const maxDepth = 8
/**
 * How many schemas, properties and required names are visited; the rest is left out. A caller's schema may refer to
 * itself many times over: the bound keeps the work for all tools of a request below a millisecond.
 */
const maxSteps = 1000
const compositions = ['oneOf', 'anyOf', 'allOf'] as const
/** Other keywords that providers refuse at the top level. */
const refusedKeys = ['not', 'enum', 'const'] as const

export type AdaptedSchema = {
  readonly description: string
  readonly parameters: JsonObject
  /** The parameters mean exactly the same as the original. */
  readonly exact: boolean
}

/** One walk through a schema: the steps and note characters left, and a cache of canonical texts. */
type Walk = { readonly root: JsonObject; steps: number; chars: number; readonly texts: Map<Json, string> }
type Branch = { readonly branch: JsonObject; readonly shape: Shape }
/** `all` has the schemas of a property that several parts describe differently. */
type Shape = {
  properties: Map<string, Json>
  all: Map<string, Json[]>
  required: Set<string>
  closed: boolean
  notes: string[]
}

/** The description and parameters of a tool for a provider. Compositions inside properties stay as they are. */
export function adaptSchema({ description, parameters }: Pick<ToolSpec, 'description' | 'parameters'>): AdaptedSchema {
  const { $schema: _, ...schema } = parameters
  const composed = [...compositions, ...refusedKeys, '$ref'].some((key) => key in schema)
  if (!composed) {
    const properties = isObject(schema['properties']) ? schema['properties'] : {}
    return { description, parameters: { ...schema, type: 'object', properties }, exact: true }
  }
  const walk: Walk = { root: schema, steps: maxSteps, chars: maxNoteChars, texts: new Map() }
  const shape = shapeOf(schema, walk, 0)
  const kept = Object.entries(schema).filter(([key]) => !isFlattened(key))
  const flat: JsonObject = {
    ...Object.fromEntries(kept),
    type: 'object',
    properties: Object.fromEntries(shape.properties),
    ...(shape.required.size > 0 && { required: [...shape.required] }),
    ...(shape.closed && { additionalProperties: false }),
  }
  return withNotes({ description, parameters: flat, exact: false }, shape.notes.join('\n').slice(0, maxNoteChars))
}

function isFlattened(key: string): boolean {
  return ['$ref', 'required', 'properties', ...compositions, ...refusedKeys].includes(key)
}

function withNotes(adapted: AdaptedSchema, notes: string): AdaptedSchema {
  if (notes === '') return adapted
  const description = adapted.description === '' ? notes : `${adapted.description}\n\n${notes}`
  if (description.length <= maxDescriptionChars) return { ...adapted, description }
  const own = adapted.parameters['description']
  const inside = typeof own === 'string' ? `${own}\n\n${notes}` : notes
  return { ...adapted, parameters: { ...adapted.parameters, description: inside } }
}

/** The properties of a schema and of everything it is composed of. */
function shapeOf(schema: JsonObject, walk: Walk, depth: number): Shape {
  const shape: Shape = { properties: new Map(), all: new Map(), required: new Set(), closed: false, notes: [] }
  if (walk.steps <= 0) return shape
  if (isSchema(schema['properties'])) shape.properties = new Map(Object.entries(schema['properties']))
  shape.required = new Set(namesIn(schema['required']))
  shape.closed = schema['additionalProperties'] === false
  walk.steps -= 1 + shape.properties.size + shape.required.size
  if (depth >= maxDepth) return shape
  for (const part of [lookUp(schema['$ref'], walk.root), ...listIn(schema['allOf'])]) {
    if (walk.steps <= 0) break
    if (isSchema(part)) addAll(shape, shapeOf(part, walk, depth + 1), walk)
  }
  for (const [name, parts] of shape.all) shape.properties.set(name, { allOf: parts })
  for (const key of ['oneOf', 'anyOf'] as const) {
    const branches = listIn(schema[key])
      .slice(0, Math.max(0, walk.steps))
      .filter((branch) => isSchema(branch))
      .filter(takesObject)
      .map((branch) => ({ branch, shape: shapeOf(branch, walk, depth + 1) }))
    if (branches.length > 0) addOneOf(shape, { key, branches, walk })
  }
  for (const key of [...refusedKeys, 'if']) {
    // At the root `if` stays in the schema; deeper it would be lost.
    if (key in schema && (key !== 'if' || depth > 0)) addNote(shape, walk, () => describeRule(schema, key))
  }
  return shape
}

/** Adds a note to a shape while characters are left for it. */
function addNote(shape: Shape, walk: Walk, line: () => string): void {
  if (walk.chars <= 0) return
  const text = line()
  walk.chars -= text.length
  shape.notes.push(text)
}

/** `allOf`: properties and required names add up. */
function addAll(shape: Shape, part: Shape, walk: Walk): void {
  for (const [name, schema] of part.properties) {
    const own = shape.properties.get(name)
    const known = shape.all.get(name) ?? (own === undefined ? [] : [own])
    if (known.some((each) => textOf(each, walk) === textOf(schema, walk))) continue
    walk.steps -= known.length
    if (known.length > 0) shape.all.set(name, [...known, schema])
    else shape.properties.set(name, schema)
  }
  for (const name of part.required) shape.required.add(name)
  shape.closed ||= part.closed
  shape.notes.push(...part.notes)
}

type Choice = { readonly key: 'oneOf' | 'anyOf'; readonly branches: readonly Branch[]; readonly walk: Walk }

/** `oneOf` and `anyOf`: only names that every branch requires stay required. */
function addOneOf(shape: Shape, { key, branches, walk }: Choice): void {
  const shapes = branches.map((each) => each.shape)
  const choices = new Map<string, Json[]>()
  for (const { properties } of shapes) {
    for (const [name, schema] of properties) {
      const known = choices.get(name)
      if (known) known.push(schema)
      else choices.set(name, [schema])
    }
  }
  for (const [name, schemas] of choices) {
    const own = shape.properties.get(name)
    const either = eitherOf(schemas, walk)
    shape.properties.set(name, own === undefined || own === true ? either : narrowed(own, either, walk))
  }
  const [first, ...others] = shapes
  for (const name of first?.required ?? []) {
    if (others.every(({ required }) => required.has(name))) shape.required.add(name)
  }
  shape.closed ||= shapes.every(({ closed }) => closed)
  addNote(shape, walk, () => `The arguments take ${key === 'oneOf' ? 'exactly' : 'at least'} one of these forms:`)
  for (const each of branches) {
    addNote(shape, walk, () => describeBranch(each))
    shape.notes.push(...each.shape.notes)
  }
}

/** The canonical text of a part of the schema, cached, since a part may be referenced often. */
function textOf(value: Json, { texts }: Walk): string {
  const known = texts.get(value)
  if (known !== undefined) return known
  const text = canonical(value)
  if (isObject(value)) texts.set(value, text)
  return text
}

/** One schema for a property that several branches describe; constants become one enum. */
function eitherOf(schemas: readonly Json[], walk: Walk): Json {
  const distinct = [...new Map(schemas.map((schema) => [textOf(schema, walk), schema])).values()]
  const values = distinct.map(valuesOf)
  if (!values.includes(undefined)) {
    const all = [...new Map(values.flatMap((list) => list ?? []).map((value) => [canonical(value), value])).values()]
    const types = new Set(distinct.map((schema) => (isObject(schema) ? schema['type'] : undefined)))
    const { const: _, ...rest } = isSchema(distinct[0]) ? distinct[0] : {}
    const shared =
      distinct.length === 1 ? rest : types.size === 1 && rest['type'] !== undefined ? { type: rest['type'] } : {}
    return { ...shared, enum: all }
  }
  return distinct.length === 1 ? (distinct[0] ?? {}) : { anyOf: distinct }
}

/** The schema's own description of a property, narrowed by the constants of its branches. */
function narrowed(own: Json, either: Json, walk: Walk): Json {
  if (textOf(own, walk) === textOf(either, walk)) return own
  const values = valuesOf(either)
  return values && isSchema(own) && valuesOf(own) === undefined ? { ...own, enum: values } : own
}

function valuesOf(schema: Json): readonly Json[] | undefined {
  if (!isSchema(schema)) return undefined
  if (schema['const'] !== undefined) return [schema['const']]
  return Array.isArray(schema['enum']) ? (schema['enum'] as readonly Json[]) : undefined
}

/** `- kind = "circle": radius (required), label. A round thing.` */
function describeBranch({ branch, shape }: Branch): string {
  const fixed: string[] = []
  const open: string[] = []
  for (const name of new Set([...shape.properties.keys(), ...shape.required])) {
    const schema = shape.properties.get(name)
    if (isSchema(schema) && schema['const'] !== undefined) fixed.push(`${name} = ${JSON.stringify(schema['const'])}`)
    else open.push(shape.required.has(name) ? `${name} (required)` : name)
  }
  const texts: string[] = [branch['title'], branch['description']].filter((text) => typeof text === 'string')
  const form = [fixed.join(', '), open.join(', ')].filter((text) => text !== '').join(': ')
  return `- ${[form === '' ? 'no arguments' : form, ...texts].join('. ')}`
}

function describeRule(schema: JsonObject, key: string): string {
  const keys = key === 'if' ? ['if', 'then', 'else'] : [key]
  const rule = Object.fromEntries(keys.filter((each) => each in schema).map((each) => [each, schema[each]]))
  return `The arguments also follow this JSON schema: ${JSON.stringify(rule)}`
}

function takesObject(schema: JsonObject): boolean {
  const type = schema['type']
  return type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))
}

function namesIn(value: Json | undefined): string[] {
  return listIn(value).filter((name) => typeof name === 'string')
}
