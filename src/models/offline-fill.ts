// Fills values from a message by their JSON schema: a tool's parameters, or an answer that must follow a format.
import { isObject, type Json, type JsonObject } from '#core/json.ts'
import type { ToolSpec } from '#core/tool.ts'
import { dayIn, fillers, meaningOf, trimmed, wordsOf, zoneIn } from './offline-read.ts'

type Schema = Readonly<Record<string, unknown>>
type Settled = Schema & { readonly properties: Schema; readonly required: readonly string[] }
/** A required value takes what it can get, a wanted one a clear value, an optional one only what was named. */
type Slot = { readonly name: string; readonly schema: Settled; readonly wish: 'required' | 'wanted' | 'optional' }
/** `reply` stands where a format wants a text that nobody said. */
type Told = { readonly message: string; readonly today: string; readonly reply?: string }
/**
 * `topic` holds the tool's own words, `text` what is left of the message: a value that was taken is gone. `left` counts
 * the values that may still be made, since a schema can refer to itself.
 */
type Source = Told & { readonly root: Schema; text: string; left: number; readonly missing: string[] } & {
  readonly [words in 'said' | 'topic']: ReadonlySet<string>
}

const maxValues = 500
const maxPadding = 1_000
/** Parameters that take any words. */
export const freeText = /query|text|content|question|prompt|message|input/i
const numberPattern = String.raw`(?<![\w.-])(-?\d+(?:,\d{3}\b)*(?:\.\d+)?)(?!\w|-\d)`
const quotedText = /["“`]([^"“”`]+)["”`]/
const properNames = /(?<![\p{L}\d/.@])\p{Lu}[\p{L}\d'’-]*(?:,? (?:(?:de|la|of|the) )*\p{Lu}[\p{L}\d'’-]*)*/gu
/** A URL, an email address, a file. */
const shapedText = /(?<![\w./+-])(?:https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)]|[\w.+-]+@[\w.-]+\w|[\w./-]*\w\.[a-z]\w*)/

/** Formats of texts: what one looks like, and one that means nothing. */
const formats: ReadonlyMap<unknown, { readonly like: RegExp; readonly none: string }> = new Map([
  ['email', { like: /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/, none: 'nobody@example.com' }],
  ['uri', { like: /https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)]/, none: 'https://example.com/' }],
  ['uuid', { like: /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/i, none: '00000000-0000-4000-8000-000000000000' }],
  ['date-time', { like: /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/, none: '1970-01-01T00:00:00Z' }],
])

/** The tool's arguments as far as the message tells them, and the required ones that it does not, described. */
export function fillParameters({ name, description, parameters }: ToolSpec, told: Told) {
  const names = [name, ...Object.keys(propertiesOf(parameters)), ...constantsOf(parameters)]
  const own = [...names, ...(description.match(/(?<!\p{L})\p{Ll}+/gu) ?? [])].join(' ')
  const source = sourceOf(parameters, told, own)
  return { args: fillObject(settled(parameters, source), 'required', source), missing: source.missing }
}

/** A value of the schema, required properties only. */
export function fillAnswer(format: Schema, told: Told): Json {
  const source = sourceOf(format, told, '')
  return fill({ name: '', schema: settled(format, source), wish: 'wanted' }, source) ?? null
}

function sourceOf(root: Schema, told: Told, own: string): Source {
  const [said, topic] = [meaningOf(told.message), new Set(wordsOf(own))]
  return { ...told, root, said, topic, text: told.message, left: maxValues, missing: [] }
}

function fill(slot: Slot, source: Source): Json | undefined {
  const { name, schema, wish } = slot
  if (source.left-- <= 0) return null
  if (schema.type === 'object' && wish !== 'optional') return fillObject(schema, wish, source)
  const found = findValue(slot, source)
  if (found !== undefined || wish === 'optional') return found
  if (schema.default !== undefined) return schema.default as Json
  if (source.reply !== undefined) return made(slot, source.reply, source)
  const hint = Array.isArray(schema.enum) ? schema.enum.join(', ') : schema.description
  const note = typeof hint === 'string' ? ` (${hint.slice(0, 100).replace(/\.$/, '')})` : ''
  if (wish === 'required') source.missing.push(name.replaceAll('_', ' ') + note)
  return undefined
}

function fillObject({ properties, required }: Settled, wish: Slot['wish'], source: Source): JsonObject {
  const isAnswer = source.reply !== undefined
  const slots = Object.entries(properties).map(([name, raw], index): Slot => {
    const own = required.includes(name) ? wish : required.length + index === 0 ? 'wanted' : 'optional'
    return { name, schema: settled(raw, source), wish: own }
  })
  // A text could swallow a number or a day, so other texts come last.
  const isText = ({ name, schema }: Slot) => Number(schema.type === 'string' && !isDay(name, schema))
  const filled = slots
    .filter(({ name }) => !isAnswer || required.includes(name))
    .toSorted((a, b) => isText(a) - isText(b))
    .map((slot) => [slot.name, fill(slot, source)] as const)
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined)) as JsonObject
}

/** What the schema takes where nobody said anything. */
function made({ name, schema }: Slot, reply: string, source: Source): Json {
  if (Array.isArray(schema.enum)) return schema.enum[0] as Json
  if (schema.type === 'boolean') return false
  if (schema.type === 'array') {
    const slot: Slot = { name, schema: settled(schema.items, source), wish: 'wanted' }
    return Array.from({ length: Math.min(Number(schema.minItems ?? 0), maxValues) }, () => fill(slot, source) ?? null)
  }
  if (schema.type === 'string') {
    const shaped = isDay(name, schema) ? source.today : formats.get(schema.format)?.none
    const least = Math.min(Number(schema.minLength ?? 0), maxPadding)
    return shaped ?? reply.slice(0, Number(schema.maxLength ?? Infinity)).padEnd(least, '.')
  }
  const { least, most, step } = rangeOf(schema)
  return Math.min(Math.max(Math.ceil(least / step) * step, Math.min(0, most)), most)
}

/** A schema without its choices: what it refers to, all of `allOf`, the branch whose constants were said or the first. */
function settled(given: unknown, { said, root }: Source): Settled {
  const schema = isObject(given) ? given : {}
  const path = typeof schema.$ref === 'string' ? schema.$ref.split('/').slice(1) : undefined
  const target = path?.reduce((at: unknown, key) => (isObject(at) ? at[key] : undefined), root)
  const score = (branch: Schema) => wordsOf(constantsOf(branch).join(' ')).filter((word) => said.has(word)).length
  const branches = branchesOf(schema)
  const branch = branches.filter(({ type }) => type !== 'null').toSorted((a, b) => score(b) - score(a))[0]
  const parts = [target, schema.allOf, schema, branch].flat().filter(isObject)
  const types = [...parts.toReversed(), ...branches].flatMap(({ type }) => type)
  const nullable = types.includes('null') ? { default: null } : {}
  const properties: Schema = Object.assign({}, ...parts.map(propertiesOf))
  const bare = types.includes('null') ? 'null' : Object.keys(properties)[0] ? 'object' : 'string'
  const type = types.find((each) => each && each !== 'null') ?? bare
  const required = parts.flatMap((part) => part.required).filter((name) => typeof name === 'string')
  return Object.assign({}, nullable, ...parts, { type, properties, required }) as Settled
}

const branchesOf = (schema: Schema) => [schema.oneOf ?? schema.anyOf ?? []].flat().filter(isObject)
const propertiesOf = (schema: Schema) => (isObject(schema.properties) ? schema.properties : {})

/** The constants and enums of a schema's properties, in all its branches. */
function constantsOf(schema: Schema): string[] {
  const all = [schema, ...branchesOf(schema)].flatMap((each) => Object.values(propertiesOf(each)))
  return all.filter(isObject).flatMap((each) => [each.const ?? each.enum ?? []].flat().map(String))
}

function findValue(slot: Slot, source: Source): Json | undefined {
  const { name, schema } = slot
  const isSaid = (value: unknown) => {
    const words = wordsOf(String(value))
    const telling = words.filter((word) => !fillers.has(word))
    return (telling.length > 0 ? telling : words).every((word) => source.said.has(word))
  }
  if (schema.const !== undefined) return schema.const as Json
  if (Array.isArray(schema.enum)) return schema.enum.find(isSaid) as Json | undefined
  if (schema.type === 'boolean') return isSaid(name) ? !/\b(?:no|not|without)\b/i.test(source.text) : undefined
  if (schema.type === 'string') return takeText(slot, source)
  if (schema.type === 'number' || schema.type === 'integer') return takeNumber(slot, source)
  const chosen = [settled(schema.items, source).enum].flat().filter((value) => value !== undefined && isSaid(value))
  return chosen.length >= Math.max(1, Number(schema.minItems ?? 1)) ? (chosen as Json[]) : undefined
}

function takeNumber({ name, schema, wish }: Slot, source: Source): number | undefined {
  const [label, stem] = [RegExp.escape(name.replaceAll('_', ' ')), RegExp.escape(wordsOf(name).at(-1) ?? '')]
  const named = new RegExp(`\\b${label}[\\s:=]+${numberPattern}|${numberPattern} ${stem}s?\\b`, 'i')
  const taken = take(source, named) ?? (wish === 'optional' ? undefined : take(source, new RegExp(numberPattern)))
  const value = Number(taken?.replaceAll(',', '') ?? Number.NaN)
  const { least, most, step } = rangeOf(schema)
  return value >= least && value <= most && (schema.type === 'number' || value % step === 0) ? value : undefined
}

/** Where a number may stand. An open end is one step away. */
function rangeOf(schema: Schema) {
  const step = Number(schema.multipleOf ?? 1)
  const least = Number(schema.minimum ?? Number(schema.exclusiveMinimum ?? -Infinity) + step)
  return { least, most: Number(schema.maximum ?? Number(schema.exclusiveMaximum ?? Infinity) - step), step }
}

function takeText({ name, schema, wish }: Slot, source: Source): string | undefined {
  if (/time_?zone/i.test(name)) return zoneIn(source.text)?.zone
  const day = dayIn(source.text, source.today)
  const undated = source.text.replace(day?.said ?? '', ' ')
  if (isDay(name, schema)) source.text = undated
  if (isDay(name, schema) || wish === 'optional') return isDay(name, schema) ? day?.day : undefined
  const format = formats.get(schema.format)
  if (format !== undefined) return take(source, format.like)
  const isFree = freeText.test(name)
  const clear = take(source, quotedText) ?? (isFree ? undefined : properName(name, source)) ?? take(source, shapedText)
  const found = clear ?? (wish === 'required' ? trimmed(isFree ? source.text : undated, source.topic) : '')
  const text = /city/i.test(name) ? (found.split(',')[0] ?? '') : found
  source.text = source.text.replace(text, ' ')
  const fits = text.length >= Number(schema.minLength ?? 1) && text.length <= Number(schema.maxLength ?? Infinity)
  return fits && text !== '' ? text : undefined
}

/** The first name that is not the tool's own; of two places the one behind "from" or "to". */
function properName(name: string, { text, topic }: Source): string | undefined {
  const lead = /origin|from|depart/i.test(name) ? 'from ' : /dest|^to$|arriv/i.test(name) ? 'to ' : ''
  const names = (new RegExp(`\\b${lead}(.*)`, 'is').exec(text)?.[1] ?? text).match(properNames) ?? []
  return names.map((each) => trimmed(each, topic)).find((each) => each !== '')
}

function isDay(name: string, { format }: Schema): boolean {
  return format === 'date' || (format === undefined && wordsOf(name).includes('date'))
}

function take(source: Source, pattern: RegExp): string | undefined {
  const match = pattern.exec(source.text)
  if (match !== null) source.text = source.text.replace(match[0], ' ')
  return match?.[1] ?? match?.[2] ?? match?.[0]
}
