// Fills values from a message by their JSON schema: a tool's parameters, or an answer that must follow a format.
import { isObject } from '#core/json.ts'
import type { Json } from '#core/json.ts'
import type { ToolSpec } from '#core/tool.ts'

type Schema = Readonly<Record<string, unknown>>
/** `text` is what is left of the message: a value that was taken is gone. `topic` holds the tool's own words. */
type Source = { text: string; readonly said: ReadonlySet<string>; readonly topic: ReadonlySet<string> }
/** A required value takes what it can get, a wanted one a clear value, an optional one only what was named. */
type Slot = { readonly name: string; readonly schema: Schema; readonly wish: 'required' | 'wanted' | 'optional' }

const numberPattern = String.raw`(?<![\w.-])(-?\d+(?:,\d{3}\b)*(?:\.\d+)?)(?!\w|-\d)`
const quotedText = /["“`]([^"“”`]+)["”`]/
const properNames = /(?<![\p{L}\d/.@])\p{Lu}[\p{L}\d'’-]*(?:,? (?:(?:de|la|of|the) )*\p{Lu}[\p{L}\d'’-]*)*/gu
/** A URL, an email address, a date, a file. */
const shapedText =
  /(?<![\w./+-])(?:https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)]|[\w.+-]+@[\w.-]+\w|\d{4}-\d\d-\d\d|[\w./-]*\w\.[a-z]\w*)/

/** What people say, and the word that they mean by it. */
const meanings: readonly (readonly [said: RegExp, means: string])[] = [
  [/\bhttps?:\/\//i, 'web'],
  [/\bcelsius\b/i, 'metric'],
  [/\bfahrenheit\b/i, 'imperial'],
  [/\b(?:tomorrow|weekend)\b/i, 'forecast'],
  [/\b(?:forecast|rain|snow|temperature|umbrella|hot|cold|air quality)\b/i, 'weather'],
]
/** Words that carry no subject. */
export const fillers: ReadonlySet<string> = new Set(
  wordsOf(`a about an and any are at be can could current day do does find for from get give has have hello here hey hi how
  i in is it know like list look m me my need now of on or please read right s say search show t tell that the there this
  to today tool up use want was what when where which who will with would you your`),
)

/** The tool's arguments as far as the message tells them, and the required ones that it does not, described. */
export function fillParameters({ name, description, parameters }: ToolSpec, message: string) {
  const own = [name, ...constantsOf(parameters), ...(description.match(/(?<!\p{L})\p{Ll}+/gu) ?? [])].join(' ')
  const source: Source = { text: message, said: meaningOf(message), topic: new Set(wordsOf(own)) }
  const { properties, required } = settled(parameters, source)
  const slots = Object.entries(properties).map(([name, raw], index): Slot => {
    const wish = required.includes(name) ? 'required' : required.length + index === 0 ? 'wanted' : 'optional'
    return { name, schema: settled(raw, source), wish }
  })
  const args: Record<string, Json> = {}
  const isText = ({ schema }: Slot) => schema.type === 'string'
  // A text could swallow a number, so texts come last.
  for (const slot of slots.toSorted((a, b) => Number(isText(a)) - Number(isText(b)))) {
    const value = findValue(slot, source) ?? (slot.wish === 'required' ? slot.schema.default : undefined)
    if (value !== undefined) args[slot.name] = value as Json
  }
  const missing = slots.filter(({ name, wish }) => wish === 'required' && args[name] === undefined)
  return { args, missing: missing.map(describe) }
}

/** A value of the schema, required properties only; `reply` stands where a text is wanted that nobody said. */
export function fillAnswer(format: Schema, message: string, reply: string): Json {
  const source: Source = { text: message, said: meaningOf(message), topic: new Set() }
  const answer = (name: string, given: unknown): Json => {
    const schema = settled(given, source)
    const found = findValue({ name, schema, wish: 'wanted' }, source) ?? (schema.default as Json | undefined)
    if (found !== undefined) return found
    if (Array.isArray(schema.enum)) return schema.enum[0] as Json
    if (schema.type === 'string') return reply.slice(0, Number(schema.maxLength ?? Infinity))
    if (schema.type === 'array') return []
    if (schema.type !== 'object') return schema.type === 'boolean' ? false : Number(schema.minimum ?? 0)
    return Object.fromEntries(schema.required.map((key) => [key, answer(key, schema.properties[key])]))
  }
  return answer('', format)
}

/** The words of a text, a tool's name or a key, in lower case and without a plural's s. */
export function wordsOf(text: string): string[] {
  const words = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').match(/\p{L}+|\d+/gu) ?? []
  return words.map((word) => word.toLowerCase().replace(/(?<=ch|sh|x|ss)es$|(?<=\w\w[^siu])s$/, ''))
}

/** The words of a message, and those it means. */
export function meaningOf(message: string): ReadonlySet<string> {
  return new Set([...wordsOf(message), ...meanings.flatMap(([said, means]) => (said.test(message) ? [means] : []))])
}

/** A schema without its choice: the branch whose constants were said, else the first that is not null. */
function settled(given: unknown, { said }: Source): Schema & { properties: Schema; required: string[] } {
  const schema: Schema = isObject(given) ? given : {}
  const score = (branch: Schema) => wordsOf(constantsOf(branch).join(' ')).filter((word) => said.has(word)).length
  const branches = branchesOf(schema)
  const [branch = {}] = branches.filter(({ type }) => type !== 'null').toSorted((a, b) => score(b) - score(a))
  const types = [branch.type, schema.type, ...branches.map(({ type }) => type)].flat()
  const nullable = types.includes('null') ? { default: null } : {}
  const properties = { ...propertiesOf(schema), ...propertiesOf(branch) }
  const type = types.find((each) => each && each !== 'null') ?? (Object.keys(properties)[0] ? 'object' : 'string')
  const required = [schema.required, branch.required].flat().filter((name) => typeof name === 'string')
  return { ...nullable, ...schema, ...branch, type, properties, required }
}

const branchesOf = (schema: Schema) => [schema.oneOf ?? schema.anyOf ?? []].flat().filter(isObject)
const propertiesOf = (schema: Schema) => (isObject(schema.properties) ? schema.properties : {})

/** The constants and enums of a schema's properties, in all its branches. */
function constantsOf(schema: Schema): string[] {
  const all = [schema, ...branchesOf(schema)].flatMap((each) => Object.values(propertiesOf(each)))
  return all.filter(isObject).flatMap((each) => [each.const ?? each.enum ?? []].flat().map(String))
}

function findValue({ name, schema, wish }: Slot, source: Source): Json | undefined {
  if (schema.const !== undefined) return schema.const as Json
  const isSaid = (value: unknown) => {
    const words = wordsOf(String(value))
    const telling = words.filter((word) => !fillers.has(word))
    return (telling.length > 0 ? telling : words).every((word) => source.said.has(word))
  }
  if (Array.isArray(schema.enum)) return schema.enum.find(isSaid) as Json | undefined
  if (schema.type === 'boolean') return isSaid(name) || undefined
  if (schema.type === 'string') return takeText(name, wish, source)
  if ((schema.type !== 'number' && schema.type !== 'integer') || wish === 'optional') return undefined
  const named = new RegExp(`\\b${RegExp.escape(name.replaceAll('_', ' '))}[\\s:=]+${numberPattern}`, 'i')
  const value = Number((take(source, named) ?? take(source, new RegExp(numberPattern)))?.replaceAll(',', '') ?? NaN)
  const fits = value >= Number(schema.minimum ?? -Infinity) && value <= Number(schema.maximum ?? Infinity)
  return fits && (schema.type === 'number' || Number.isInteger(value)) ? value : undefined
}

function takeText(name: string, wish: Slot['wish'], source: Source): string | undefined {
  const rest = () => trimmed(source.text, source)
  if (/time_?zone/i.test(name)) return zoneOf(rest())
  if (wish === 'optional') return undefined
  const names = /query|text|content|question|prompt|message|input/i.test(name) ? [] : source.text.match(properNames)
  const run = names?.map((each) => trimmed(each, source)).find((each) => each !== '')
  const proper = /city/i.test(name) ? run?.split(',')[0] : run
  const text = take(source, quotedText) ?? proper ?? take(source, shapedText) ?? (wish === 'required' ? rest() : '')
  source.text = source.text.replace(text, ' ')
  return text || undefined
}

/** Without the words at both ends that only lead to a value: fillers and the tool's own. */
function trimmed(text: string, { topic }: Source): string {
  const isOwn = (word: string) => fillers.has(word) || topic.has(word) || meanings.some(([said]) => said.test(word))
  const words = text.split(/\s+/)
  const carries = (word: string) => !wordsOf(word).every(isOwn)
  const kept = words.slice(Math.max(0, words.findIndex(carries)), words.findLastIndex(carries) + 1)
  return kept.join(' ').replace(/(?:['’]s)?[\s.,;:!?]*$/, '')
}

/** The zone of a city; an unknown place is passed on, for the tool to refuse. */
function zoneOf(place: string): string | undefined {
  const city = `/${place.replaceAll(' ', '_')}`.toLowerCase()
  const zones = Intl.supportedValuesOf('timeZone')
  return zones.find((zone) => `/${zone}`.toLowerCase().endsWith(city)) ?? (place || undefined)
}

function take(source: Source, pattern: RegExp): string | undefined {
  const match = pattern.exec(source.text)
  if (match !== null) source.text = source.text.replace(match[0], ' ')
  return match?.[1] ?? match?.[0]
}

function describe({ name, schema }: Slot): string {
  const hint = Array.isArray(schema.enum) ? schema.enum.join(', ') : schema.description
  return name.replaceAll('_', ' ') + (typeof hint === 'string' ? ` (${hint.slice(0, 100).replace(/\.$/, '')})` : '')
}
