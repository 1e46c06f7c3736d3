// Fills values from a message by their JSON schema: a tool's parameters, or an answer that must follow a format.
import { isObject } from '#core/json.ts'
import type { Json } from '#core/json.ts'
import type { ToolSpec } from '#core/tool.ts'

type Schema = Readonly<Record<string, unknown>>
/** `text` is what is left of the message: a value that was taken is gone. `topic` holds the tool's own words. */
type Source = { text: string; readonly said: ReadonlySet<string>; readonly topic: ReadonlySet<string> }
/** A required value takes what it can get, a wanted one a clear value, an optional one only what was named. */
type Slot = { readonly name: string; readonly schema: Schema; readonly wish: 'required' | 'wanted' | 'optional' }

/** A schema may point at itself: an answer ends after so many values. */
const MAX_VALUES = 200
const MAX_ITEMS = 10
const NUMBER = /(?<![\w.])-?\d+(?:,\d{3}\b)*(?:\.\d+)?/
const QUOTED = /["“`]([^"“”`]+)["”`]/
const NAMES = /(?<![\p{L}\d])\p{Lu}[\p{L}\d'’-]*(?: (?:(?:de|la|of|the) )*\p{Lu}[\p{L}\d'’-]*)*/gu
const PROSE = /query|text|content|question|prompt|message|input/i

/** Texts known by their form, told by the name of their parameter. */
const FORMS: readonly (readonly [parameter: RegExp, form: RegExp])[] = [
  [/ur[il]$/i, /https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)]/],
  [/email/i, /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/],
  [/date/i, /\d{4}-\d\d-\d\d/],
  [/path|file/i, /[\w./-]*\w\.[a-z]\w*|[\w.-]*\/[\w./-]*\w/],
]

/** What people say of the weather, and what they mean by it. */
const MEANINGS: readonly (readonly [said: RegExp, means: string])[] = [
  [/\bcelsius\b/i, 'metric'],
  [/\bfahrenheit\b/i, 'imperial'],
  [/\b(?:tomorrow|weekend)\b/i, 'forecast'],
  [/\b(?:forecast|rain|snow|temperature|umbrella|hot|cold|air quality)\b/i, 'weather'],
]
const FILLERS = new Set(
  `a about an and any are at be can could current do does find for from get give has have hello hey hi how i in is it know
  like list look m me my need now of on or please read right s say search show t tell that the there this to today up use
  want was what when where which who will with would you your`.split(/\s+/),
)

/** The tool's arguments as far as the message tells them, and the required ones that it does not, described. */
export function fillParameters(tool: ToolSpec, message: string) {
  const own = [tool.name, ...constantsOf(tool.parameters), ...(tool.description.match(/(?<!\p{L})\p{Ll}+/gu) ?? [])]
  const source: Source = { text: message, said: meaningOf(message), topic: new Set(wordsOf(own.join(' '))) }
  const { properties, required } = settled(tool.parameters, tool.parameters, source.said)
  const slots = Object.entries(properties).map(([name, raw], index): Slot => {
    const wish = required.includes(name) ? 'required' : required.length + index === 0 ? 'wanted' : 'optional'
    return { name, schema: settled(raw, tool.parameters, source.said), wish }
  })
  const args: Record<string, Json> = {}
  // A free text would swallow a number or a form, so it comes last.
  for (const slot of slots.toSorted((a, b) => Number(isFree(a)) - Number(isFree(b)))) {
    const value = findValue(slot, source) ?? (slot.wish === 'required' ? (slot.schema.default as Json) : undefined)
    if (value !== undefined) args[slot.name] = value
  }
  const missing = slots.filter(({ name, wish }) => wish === 'required' && args[name] === undefined)
  return { args, missing: missing.map(describe) }
}

/** A value of the schema, required properties only; `reply` stands where a text is wanted that nobody said. */
export function fillAnswer(root: Schema, message: string, reply: string): Json {
  const source: Source = { text: message, said: meaningOf(message), topic: new Set() }
  let left = MAX_VALUES
  const answer = (name: string, given: unknown): Json => {
    const schema = settled(given, root, source.said)
    const found = left-- > 0 ? findValue({ name, schema, wish: 'wanted' }, source) : null
    if (found !== undefined) return found
    if (Array.isArray(schema.enum)) return schema.enum[0] as Json
    if (schema.type === 'object')
      return Object.fromEntries(schema.required.map((key) => [key, answer(key, schema.properties[key])]))
    if (schema.type === 'array')
      return Array.from({ length: Math.min(Number(schema.minItems ?? 0), MAX_ITEMS) }, () => answer(name, schema.items))
    if (schema.type === 'boolean') return false
    return schema.type === 'string' ? reply.slice(0, Number(schema.maxLength ?? Infinity)) : Number(schema.minimum ?? 0)
  }
  return answer('', root)
}

/** The words of a text, a tool's name or a key, in lower case and without a plural's s. */
export function wordsOf(text: string): string[] {
  const words = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').match(/\p{L}+|\d+/gu) ?? []
  return words.map((word) => word.toLowerCase().replace(/(?<=ch|sh|x|ss)es$|(?<=\w\w[^siu])s$/, ''))
}

/** The words of a message, and those it means. */
export function meaningOf(message: string): ReadonlySet<string> {
  const meant = MEANINGS.filter(([said]) => said.test(message)).map(([, means]) => means)
  return new Set([...wordsOf(message), ...meant])
}

/** True for a word that carries no subject. */
export function isFiller(word: string): boolean {
  return FILLERS.has(word)
}

/** A schema without reference and choice: the branch whose constants were said, else the first that is not null. */
function settled(given: unknown, root: Schema, said: ReadonlySet<string>) {
  const schema = followed(given, root)
  const branches = branchesOf(schema).map((branch) => followed(branch, root))
  const score = (branch: Schema) => wordsOf(constantsOf(branch).join(' ')).filter((word) => said.has(word)).length
  const [branch = {}] = branches.filter(({ type }) => type !== 'null').toSorted((a, b) => score(b) - score(a))
  const properties = { ...propertiesOf(schema), ...propertiesOf(branch) }
  const types = [branch.type ?? schema.type ?? (Object.keys(properties).length > 0 ? 'object' : 'string')].flat()
  const nullable = types.includes('null') || branches.some(({ type }) => type === 'null')
  const required = [schema.required, branch.required].flat().filter((name) => typeof name === 'string')
  const type: unknown = types.find((each) => each !== 'null')
  return { ...(nullable ? { default: null } : {}), ...schema, ...branch, type, properties, required } as const
}

function followed(given: unknown, root: Schema): Schema {
  const path = isObject(given) && typeof given.$ref === 'string' ? given.$ref.split('/').slice(1) : undefined
  const schema = path ? path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), root) : given
  return isObject(schema) ? schema : {}
}

function branchesOf(schema: Schema): readonly unknown[] {
  return [schema.oneOf ?? schema.anyOf ?? []].flat()
}

function propertiesOf(schema: Schema): Schema {
  return isObject(schema.properties) ? schema.properties : {}
}

/** The constants and enums of a schema's properties, in all its branches. */
function constantsOf(schema: Schema): string[] {
  const all = [schema, ...branchesOf(schema).filter(isObject)].flatMap((each) => Object.values(propertiesOf(each)))
  return all.filter(isObject).flatMap((each) => [each.const ?? each.enum ?? []].flat().map(String))
}

function findValue({ name, schema, wish }: Slot, source: Source): Json | undefined {
  if (schema.const !== undefined) return schema.const as Json
  if (Array.isArray(schema.enum)) return schema.enum.find((value) => isSaid(value, source)) as Json | undefined
  if (schema.type === 'boolean') return isSaid(name, source) ? true : undefined
  if (schema.type === 'string') return takeText({ name, schema, wish }, source)
  if ((schema.type !== 'number' && schema.type !== 'integer') || wish === 'optional') return undefined
  const value = Number(take(source, NUMBER)?.replaceAll(',', '') ?? NaN)
  const fits = value >= Number(schema.minimum ?? -Infinity) && value <= Number(schema.maximum ?? Infinity)
  return fits && (schema.type === 'number' || Number.isInteger(value)) ? value : undefined
}

function isSaid(value: unknown, { text, said }: Source): boolean {
  const words = wordsOf(String(value)).filter((word) => !isFiller(word))
  return words.length > 0 ? words.every((word) => said.has(word)) : text.includes(String(value))
}

function takeText({ name, wish }: Slot, source: Source): string | undefined {
  if (/time_?zone/i.test(name)) return zoneOf(trimmed(source.text, source))
  const form = formOf(name)
  if (form || wish === 'optional')
    return form && (take(source, form) ?? (wish === 'required' ? take(source, QUOTED) : undefined))
  const proper = () =>
    source.text
      .match(NAMES)
      ?.map((run) => trimmed(run, source))
      .find((run) => run !== '')
  const rest = () => (wish === 'required' ? trimmed(source.text, source) : '')
  const text = take(source, QUOTED) ?? (PROSE.test(name) ? undefined : proper()) ?? rest()
  source.text = source.text.replace(text, ' ')
  return text === '' ? undefined : text
}

/** True for a text that nothing but its place in the message tells. */
function isFree({ name, schema }: Slot): boolean {
  return schema.type === 'string' && schema.enum === undefined && formOf(name) === undefined
}

function formOf(parameter: string): RegExp | undefined {
  return FORMS.find(([means]) => means.test(parameter))?.[1]
}

/** Without the words at both ends that only lead to a value: fillers and the tool's own. */
function trimmed(text: string, { topic }: Source): string {
  const isOwn = (word: string) => isFiller(word) || topic.has(word) || MEANINGS.some(([said]) => said.test(word))
  const words = text.split(/\s+/)
  const carries = (word: string) => !wordsOf(word).every(isOwn)
  const kept = words.slice(Math.max(0, words.findIndex(carries)), words.findLastIndex(carries) + 1)
  return kept.join(' ').replace(/(?:['’]s)?[\s.,;:!?]*$/, '')
}

/** The zone of a city; an unknown place is passed on, for the tool to refuse. */
function zoneOf(place: string): string | undefined {
  const city = `/${place.replaceAll(' ', '_').toLowerCase()}`
  const zone = Intl.supportedValuesOf('timeZone').find((zone) => `/${zone}`.toLowerCase().endsWith(city))
  return zone ?? (place === '' ? undefined : place)
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
