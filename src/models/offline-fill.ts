// Fills a tool's parameters from a message, guided by their JSON schema.
import { isObject, type Json } from '#core/json.ts'
import type { ToolSpec } from '#core/tool.ts'
import { fillers, meaningOf, setOf, trimmed, wordsOf } from './offline-words.ts'

type Schema = Readonly<Record<string, unknown>>
/** `text` is the rest of the message: a value that was used is removed. `toolWords` are words of the tool itself. */
type Source = { text: string; readonly messageWords: ReadonlySet<string>; readonly toolWords: ReadonlySet<string> }

const maxProperties = 50
const maxHintChars = 100
const number = /(?<![\w.-])-?\d+(?:\.\d+)?(?![\w-])/
const quoted = /(?<=["“`])[^"“”`\s][^"“”`]{0,1000}(?=["”`])/
const file = /(?<![\w./-])[\w./-]{0,200}\w\.[a-z]\w*/
const properNames = /(?<![\p{L}\d/.@])\p{Lu}[\p{L}\d'’-]*(?: (?:(?:de|la|of|the) )?\p{Lu}[\p{L}\d'’-]*){0,5}/gu
const url = /https?:\/\/[^\s<>"']{0,2000}[^\s<>"'.,;:!?)]/i
/** Patterns of values by `format` or by the last word of a parameter's name. Such a parameter takes no other text. */
const forms = new Map<unknown, RegExp>([['uri', url]]).set('url', url).set('date', /\b\d{4}-\d\d-\d\d\b/)
/** Parameters that take any words. */
const freeText = /query|text|content|question|prompt|message|input/i

/** The arguments found in the message, and descriptions of the required parameters that are missing. */
export function fillParameters({ name, description, parameters }: ToolSpec, message: string) {
  const messageWords = meaningOf(message)
  const { properties, required = [] } = resolveSchema(parameters, messageWords)
  const own = `${name} ${description} ${JSON.stringify(parameters)}`.match(/(?<![A-Za-z])[a-z]+/g) ?? []
  const source: Source = { text: message, messageWords, toolWords: setOf(own.join(' ')) }
  const args: [string, Json][] = []
  const missing: string[] = []
  const slots = Object.entries(isObject(properties) ? properties : {}).slice(0, maxProperties)
  // Texts come last: they could include a number that belongs to another parameter.
  for (const isText of [false, true]) {
    for (const [key, property] of slots) {
      const schema = resolveSchema(property, messageWords)
      if ((schema.type === 'string') !== isText) continue
      const isRequired = [required].flat().includes(key)
      const mayGuess = isRequired || [required].flat().length === 0
      const value = namedValue(key, schema, source) ?? (mayGuess ? takeValue(key, schema, source) : undefined)
      if (value !== undefined) args.push([key, value as Json])
      else if (isRequired) missing.push(described(key, schema))
    }
  }
  return { args: Object.fromEntries(args), missing }
}

/** The schema merged with the branch that shares the most words with the message. A nullable one defaults to null. */
function resolveSchema(property: unknown, messageWords: ReadonlySet<string>): Schema {
  const schema = isObject(property) ? property : {}
  const branches = [schema.oneOf ?? schema.anyOf].flat().filter(isObject)
  const undescribed = (key: string, value: unknown) => (key === 'description' ? undefined : value)
  const score = (branch: Schema) =>
    setOf(JSON.stringify(branch, undescribed)).difference(fillers).intersection(messageWords).size
  const branch = branches.filter(({ type }) => type !== 'null').toSorted((a, b) => score(b) - score(a))[0]
  const isNullable = [schema, ...branches].flatMap(({ type }) => type).includes('null')
  const type = [branch?.type ?? schema.type].flat().find((each) => each !== 'null') ?? 'string'
  return { ...(isNullable && { default: null }), ...schema, ...branch, type }
}

function described(name: string, schema: Schema): string {
  const hint = Array.isArray(schema.enum) ? schema.enum.join(', ') : schema.description
  const note = typeof hint === 'string' ? ` (${hint.slice(0, maxHintChars).replace(/\.$/, '')})` : ''
  return name.replaceAll('_', ' ') + note
}

/** A constant, an enum value that the message mentions, or true for a boolean whose name it mentions. */
function namedValue(name: string, schema: Schema, { messageWords }: Source): unknown {
  const isMentioned = (value: unknown) => setOf(String(value)).isSubsetOf(messageWords)
  if (Array.isArray(schema.enum)) return schema.enum.find(isMentioned)
  return schema.const ?? (schema.type === 'boolean' && isMentioned(name) ? true : undefined)
}

/** The first value that fits, else the default. */
function takeValue(name: string, schema: Schema, source: Source): unknown {
  if (schema.type === 'boolean') return schema.default ?? false
  if (Array.isArray(schema.enum) || schema.type === 'array' || schema.type === 'object') return schema.default
  const found = schema.type === 'string' ? textIn(name, schema, source) : (number.exec(source.text)?.[0] ?? '')
  source.text = source.text.replace(found, ' ')
  if (found === '' || schema.type === 'string') return found || schema.default
  const { minimum = -Infinity, maximum = Infinity } = schema
  const fits = Number(found) >= Number(minimum) && Number(found) <= Number(maximum)
  return fits && (schema.type === 'number' || Number.isInteger(Number(found))) ? Number(found) : schema.default
}

/** A quoted text, a file name or a proper name; else the words that are not the tool's own. */
function textIn(name: string, schema: Schema, { text, toolWords }: Source): string {
  const form = forms.get(schema.format) ?? forms.get(wordsOf(name).at(-1))
  if (form) return form.exec(text)?.[0] ?? ''
  const quote = quoted.exec(text)?.[0]
  if (quote || freeText.test(name)) return quote ?? trimmed(text, toolWords)
  const names = [...text.matchAll(properNames)].map(({ 0: name, index }) => ({ index, name: trimmed(name, toolWords) }))
  const found = names.filter(({ name }) => name !== '')
  // The first word of a message is capitalised anyway.
  const proper = found.find(({ index }) => index > 0) ?? found[0]
  return file.exec(text)?.[0] ?? proper?.name ?? trimmed(text, toolWords)
}
