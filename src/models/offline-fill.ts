// Fills a tool's parameters from what was heard, guided by their JSON schema.
import { isObject } from '#core/json.ts'
import type { Json } from '#core/json.ts'
import { formOf, findList, findString } from './offline-find.ts'
import type { Search, Wish } from './offline-find.ts'
import { isStop, meaningOf, wordsOf } from './offline-hear.ts'
import type { Heard } from './offline-hear.ts'
import {
  branchesOf,
  MAX_SCHEMA_DEPTH,
  mergeSchemas,
  ownValue,
  plainSchema,
  propertiesOf,
  requiredOf,
} from './offline-schema.ts'
import type { Schema } from './offline-schema.ts'

export type Missing = { readonly name: string; readonly schema: Schema }
export type Filling = { readonly args: Readonly<Record<string, Json>>; readonly missing: readonly Missing[] }

/** The arguments that can be told from the message, and the required ones that cannot. `topic`: the tool's own words. */
export function fillParameters(parameters: Schema, heard: Heard, topic: ReadonlySet<string>): Filling {
  return fillObject(parameters, { heard, topic, root: parameters, claimed: new Set() }, 0)
}

/** One value for one schema, or undefined where the message has none that clearly means it. */
export function findValue(name: string, schema: Schema, heard: Heard): Json | undefined {
  return find(name, schema, { heard, topic: new Set(), root: schema, claimed: new Set() }, 'optional', 0)
}

/** A choice is settled by the words of each branch's constants, then by how much of the branch can be filled. */
function fillObject(given: Schema, search: Search, depth: number): Filling {
  const branches = branchesOf(given).map((branch) => plainSchema(branch, search.root))
  if (branches.length === 0) return fillProperties(plainSchema(given, search.root), search, depth)
  const said = meaningOf(search.heard)
  const scored = branches.map((branch) => {
    const filling = fillProperties(mergeSchemas(given, branch), { ...search, claimed: new Set(search.claimed) }, depth)
    const words = constantsOf(branch).filter((word) => !isStop(word))
    const matched = words.filter((word) => said.has(word)).length
    return { filling, score: matched * 100 - (words.length - matched) * 10 - filling.missing.length }
  })
  return scored.reduce((best, each) => (each.score > best.score ? each : best)).filling
}

/** The words of a schema's constants and choices: they tell what it can do. */
export function constantsOf(schema: Schema): string[] {
  const inside = Object.values(propertiesOf(schema)).filter((each) => isObject(each))
  const values = inside.flatMap((each) =>
    each.const === undefined ? (Array.isArray(each.enum) ? each.enum : []) : [each.const],
  )
  const words = values.filter((value) => typeof value === 'string').flatMap((value) => wordsOf(value))
  return [...words, ...branchesOf(schema).flatMap((branch) => constantsOf({ properties: propertiesOf(branch) }))]
}

function fillProperties(schema: Schema, search: Search, depth: number): Filling {
  const properties = Object.entries(propertiesOf(schema))
  const required = requiredOf(schema)
  // Where no value of the user's is required, the first that could be is wanted: many schemas forget `required`.
  const open = properties.map(([name, raw]) => ({ name, settled: isSettled(plainSchema(raw, search.root)) }))
  const wanted = open.some(({ name, settled }) => !settled && required.includes(name))
    ? undefined
    : open.find(({ settled }) => !settled)?.name
  const wishOf = (name: string): Wish =>
    required.includes(name) ? 'required' : name === wanted ? 'wanted' : 'optional'
  // What is known by its form goes first, so that a free text does not swallow it.
  const order = properties
    .map(([name, raw]) => ({ name, schema: plainSchema(raw, search.root), wish: wishOf(name) }))
    .sort((a, b) => freedom(a.name, a.schema) - freedom(b.name, b.schema))
  const found = new Map<string, Json>()
  const missing: Missing[] = []
  for (const { name, schema, wish } of order) {
    const value = find(name, schema, search, wish, depth) ?? (wish === 'required' ? ownValue(schema) : undefined)
    if (value !== undefined) found.set(name, value)
    else if (wish === 'required') missing.push({ name, schema })
  }
  const names = properties.map(([name]) => name)
  missing.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
  return { args: Object.fromEntries([...found].sort(([a], [b]) => names.indexOf(a) - names.indexOf(b))), missing }
}

/** True where the schema lists the values itself. */
function isSettled(schema: Schema): boolean {
  return schema.const !== undefined || Array.isArray(schema.enum) || schema.type === 'boolean'
}

/** 0 for what only one form fits, 1 for numbers and lists, 2 for free text. */
function freedom(name: string, schema: Schema): number {
  if (isSettled(schema)) return 0
  if (schema.type === 'string' || schema.type === undefined) return formOf(name, schema) === 'free' ? 2 : 0
  return 1
}

function find(name: string, schema: Schema, search: Search, wish: Wish, depth: number): Json | undefined {
  if (schema.const !== undefined) return schema.const as Json
  if (Array.isArray(schema.enum)) return pickEnum(schema.enum, search, wish)
  if (schema.type === 'number' || schema.type === 'integer') return findNumber(name, schema, search, wish)
  if (schema.type === 'boolean') return findBoolean(name, search)
  if (schema.type === 'array') return findList(name, schema, search, wish)
  if (schema.type === 'object' || isObject(schema.properties)) {
    if (wish === 'optional' || depth >= MAX_SCHEMA_DEPTH) return undefined
    const filling = fillObject(schema, search, depth + 1)
    return filling.missing.length === 0 ? filling.args : undefined
  }
  const text = findString(name, schema, search, wish)
  const [least, most] = [Number(schema.minLength ?? 0), Number(schema.maxLength ?? Infinity)]
  return text !== undefined && text.length >= least && text.length <= most ? text : undefined
}

/** The value whose words were said; for a required one, a value without words of its own ("get_current") will do. */
function pickEnum(values: readonly unknown[], { heard }: Search, wish: Wish): Json | undefined {
  const said = meaningOf(heard)
  const scored = values
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map((value) => {
      const words = wordsOf(String(value))
      const strong = words.filter((word) => said.has(word) && !isStop(word)).length
      const foreign = words.filter((word) => !said.has(word) && !isStop(word)).length
      const whole = String(value).length > 3 && words.every((word) => said.has(word))
      const sure = strong > 0 || whole || (wish === 'required' && foreign === 0)
      return { value, sure, score: strong * 10 - foreign + (whole ? 5 : 0) }
    })
    .filter((each) => each.sure)
  return scored.length === 0 ? undefined : scored.reduce((best, each) => (each.score > best.score ? each : best)).value
}

function findNumber(name: string, schema: Schema, { heard, claimed }: Search, wish: Wish): number | undefined {
  const names = wordsOf(name)
  const means = (word: string) => names.includes(word) || isLongForm(word, names)
  const inRange = (value: number) =>
    value >= Number(schema.minimum ?? -Infinity) && value <= Number(schema.maximum ?? Infinity)
  const left = heard.numbers.filter((_, index) => !claimed.has(`number ${index}`))
  // Coordinates go by their order alone: a latitude out of range is not a longitude.
  const ordered = names.some((word) => /^(?:lat|lon|lng)/.test(word))
  const fitting = left.filter(
    ({ value }) => (schema.type !== 'integer' || Number.isInteger(value)) && (ordered || inRange(value)),
  )
  const counts = names.some((word) => ['limit', 'count', 'max', 'top', 'num'].includes(word))
  const counted = counts
    ? fitting.find(({ before, next }) => ['top', 'first'].includes(before) || next === 'result')
    : undefined
  const named = fitting.find(({ before }) => means(before)) ?? fitting.find(({ next }) => means(next))
  const chosen = named ?? counted ?? (wish === 'optional' ? undefined : fitting[0])
  if (chosen === undefined || !inRange(chosen.value)) return undefined
  claimed.add(`number ${heard.numbers.indexOf(chosen)}`)
  return chosen.value
}

/** "latitude" means a parameter called `lat`. */
function isLongForm(word: string, names: readonly string[]): boolean {
  return word.length > 3 && names.some((name) => name.length >= 3 && (word.startsWith(name) || name.startsWith(word)))
}

function findBoolean(name: string, { heard }: Search): boolean | undefined {
  const words = wordsOf(name).filter((word) => !isStop(word) && word !== 'include')
  if (words.length === 0 || !words.every((word) => heard.words.includes(word))) return undefined
  const before = heard.words.slice(0, heard.words.indexOf(words[0] ?? '')).slice(-2)
  return !before.some((word) => ['no', 'not', 'without', 'exclude', 'skip', 'don'].includes(word))
}
