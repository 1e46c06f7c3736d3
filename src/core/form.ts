// Forms that a server asks a person to fill in, and the check of what was entered: the same for every door.
import { charCount, isObject } from './json.ts'
import { boundWords, cutTo } from './words.ts'

/** One of the values that a person can choose. */
export type FormOption = { readonly value: string; readonly title?: string }

type FieldHead = {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required?: true
}
/** `min` and `max` bound the characters of a text, the value of a number, and the number of choices. */
type FieldBounds = { readonly min?: number; readonly max?: number }

export type TextFormat = 'email' | 'uri' | 'date' | 'date-time'

export type FormField = FieldHead &
  (
    | ({ readonly type: 'text'; readonly format?: TextFormat; readonly default?: string } & FieldBounds)
    | ({ readonly type: 'number' | 'integer'; readonly default?: number } & FieldBounds)
    | { readonly type: 'boolean'; readonly default?: boolean }
    | { readonly type: 'choice'; readonly options: readonly FormOption[]; readonly default?: string }
    | ({
        readonly type: 'choices'
        readonly options: readonly FormOption[]
        readonly default?: readonly string[]
      } & FieldBounds)
  )

/** A server's request to a person: to fill in a form, or to open a page. `message` is text from outside. */
export type InputRequest = { readonly server: string; readonly message: string } & (
  | { readonly type: 'form'; readonly fields: readonly FormField[] }
  | { readonly type: 'link'; readonly url: string }
)

type FormValue = string | number | boolean | readonly string[]
export type FormValues = Readonly<Record<string, FormValue>>

/** The answer to a request. `state` is what the tool gave with its request. */
export type InputAnswer = { readonly state?: string } & (
  | { readonly action: 'accept'; readonly values: FormValues }
  | { readonly action: 'decline' }
)

/** Why a value does not fit; `field` is empty for a fault of the whole. The problem follows the name of the field. */
export type FormFault = { readonly field: string; readonly problem: string }

const maxTextChars = 10_000
const maxShownNameChars = 100

/**
 * The values of a form, checked. A field that is left out takes its default; null and an empty text leave it empty. A page
 * to open has no values.
 */
export function checkValues(request: InputRequest, given: unknown): { values: FormValues } | FormFault {
  const entered = given ?? {}
  if (!isObject(entered)) return { field: '', problem: 'must be a JSON object' }
  const fields = request.type === 'form' ? request.fields : []
  const unknown = Object.keys(entered).find((name) => !fields.some((field) => field.name === name))
  if (unknown !== undefined) return { field: unknown.slice(0, maxShownNameChars), problem: 'is not in the form' }
  const values: [string, FormValue][] = []
  for (const field of fields) {
    const own = Object.hasOwn(entered, field.name) ? entered[field.name] : undefined
    const value = own === undefined ? field.default : own
    if (value === undefined || value === null || value === '') {
      if (field.required) return { field: field.name, problem: 'is required' }
      continue
    }
    const problem = problemOf(field, value)
    if (problem !== undefined) return { field: field.name, problem }
    values.push([field.name, value as FormValue])
  }
  // Also a field named __proto__ becomes a property of its own.
  return { values: Object.fromEntries(values) }
}

/** Reads a line that a person typed as the value of a field. Choices are separated by commas. `checkValues` checks it. */
export function readTyped(field: FormField, line: string): unknown {
  const text = line.trim()
  if (text === '') return undefined
  switch (field.type) {
    case 'text':
      return text
    case 'number':
    case 'integer':
      return Number.isNaN(Number(text)) ? text : Number(text)
    case 'boolean':
      return /^(?:y|yes|true|on)$/i.test(text) ? true : /^(?:n|no|false|off)$/i.test(text) ? false : text
    case 'choice':
      return optionNamed(field.options, text)
    case 'choices':
      return text
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '')
        .map((each) => optionNamed(field.options, each))
    default:
      return field satisfies never
  }
}

/** The value of a field as a person typed it, checked; undefined if the line is empty and the field has no default. */
export function readField(field: FormField, line: string): { readonly value: unknown } | { readonly problem: string } {
  const value = readTyped(field, line)
  const form: InputRequest = { type: 'form', server: '', message: '', fields: [field] }
  const checked = checkValues(form, Object.fromEntries(value === undefined ? [] : [[field.name, value]]))
  return 'problem' in checked ? { problem: checked.problem } : { value }
}

/** The value of an option by its number in the list, its value or its title; else the text as it is. */
function optionNamed(options: readonly FormOption[], text: string): string {
  const exact = options.find(({ value }) => value === text)
  const titled = options.find(({ title }) => title?.toLowerCase() === text.toLowerCase())
  const numbered = /^\d{1,4}$/.test(text) ? options[Number(text) - 1] : undefined
  return (exact ?? titled ?? numbered)?.value ?? text
}

/** The allowed values of a field in words: "a whole number from 1 to 10". */
export function fieldWords(field: FormField): string {
  switch (field.type) {
    case 'text': {
      const kind = field.format ? formats[field.format].words : 'text'
      return [kind, rangeWords(field, 'character')].filter(Boolean).join(', ')
    }
    case 'number':
    case 'integer':
      return [field.type === 'integer' ? 'a whole number' : 'a number', rangeWords(field)].filter(Boolean).join(' ')
    case 'boolean':
      return 'yes or no'
    case 'choice':
      return 'one of the list'
    case 'choices':
      return ['any of the list', rangeWords(field, 'choice')].filter(Boolean).join(', ')
    default:
      return field satisfies never
  }
}

function rangeWords({ min, max }: FieldBounds, unit = ''): string {
  const count = (bound: number): string => (unit ? boundWords(bound, unit) : String(bound))
  if (min !== undefined && max !== undefined) return `${unit ? '' : 'from '}${min} to ${count(max)}`
  if (min !== undefined) return `at least ${count(min)}`
  return max === undefined ? '' : `at most ${count(max)}`
}

function problemOf(field: FormField, value: unknown): string | undefined {
  switch (field.type) {
    case 'text':
      return textProblem(field, value)
    case 'number':
    case 'integer':
      return numberProblem(field, value)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'choice':
      return isOption(field.options, value) ? undefined : `must be one of ${listed(field.options)}`
    case 'choices':
      return choicesProblem(field, value)
    default:
      return field satisfies never
  }
}

function textProblem(field: FormField & { type: 'text' }, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a text'
  const max = Math.min(field.max ?? maxTextChars, maxTextChars)
  const tooLong = `must have at most ${boundWords(max, 'character')}`
  if (value.length > maxTextChars * 2) return tooLong
  if (!value.isWellFormed() || value.includes('\0')) return 'has a character that cannot be stored'
  const chars = charCount(value)
  if (field.min !== undefined && chars < field.min) return `must have at least ${boundWords(field.min, 'character')}`
  if (chars > max) return tooLong
  if (field.format === undefined || formats[field.format].fits(value)) return undefined
  return `must be ${formats[field.format].words}`
}

function numberProblem(field: FormField & { type: 'number' | 'integer' }, value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number'
  if (field.type === 'integer' && !Number.isSafeInteger(value)) return 'must be a whole number'
  if (field.min !== undefined && value < field.min) return `must be at least ${field.min}`
  return field.max !== undefined && value > field.max ? `must be at most ${field.max}` : undefined
}

function choicesProblem(field: FormField & { type: 'choices' }, value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list'
  // Each option once, so a longer list cannot fit.
  if (value.length > field.options.length || new Set(value).size < value.length) return 'must name each choice once'
  if (!value.every((each) => isOption(field.options, each))) return `must only have ${listed(field.options)}`
  if (field.required && field.min === undefined && value.length === 0) return 'is required'
  if (field.min !== undefined && value.length < field.min)
    return `must have at least ${boundWords(field.min, 'choice')}`
  return field.max !== undefined && value.length > field.max
    ? `must have at most ${boundWords(field.max, 'choice')}`
    : undefined
}

function isOption(options: readonly FormOption[], value: unknown): boolean {
  return options.some((option) => option.value === value)
}

const maxListedChars = 300

function listed(options: readonly FormOption[]): string {
  const words = options.map(({ value }) => value).join(', ')
  return cutTo(words, maxListedChars)
}

const formats: Readonly<Record<TextFormat, { words: string; fits: (value: string) => boolean }>> = {
  email: {
    words: 'an email address',
    fits: (value) => value.length <= 320 && /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*$/.test(value),
  },
  uri: {
    words: 'an address such as https://example.com',
    fits: (value) => /^[a-z][a-z0-9+.-]*:/i.test(value) && URL.canParse(value),
  },
  date: { words: 'a date such as 2026-01-31', fits: isDate },
  'date-time': {
    words: 'a time such as 2026-01-31T09:00:00Z',
    fits(value) {
      const [, date = ''] = /^(.{10})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i.exec(value) ?? []
      return isDate(date) && !Number.isNaN(Date.parse(value.toUpperCase()))
    },
  },
}

/** True for a day of the calendar, so not for 30 February. */
function isDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const time = Date.parse(`${value}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}
