// Reads the restricted JSON schema of a protocol's form. Everything in it comes from outside and is bounded.
import type { FormField, FormOption, InputRequest, TextFormat } from './form.ts'
import { isObject } from './json.ts'

const maxFields = 50
const maxOptions = 200
const maxNameChars = 100
const maxTitleChars = 200
const maxDescriptionChars = 1_000
const maxDefaultChars = 10_000
const maxMessageChars = 4_000
const maxUrlChars = 8_192
/** Of all fields together: a list of open gates holds many forms. */
const maxFormChars = 64 * 1024

const formats: readonly string[] = ['email', 'uri', 'date', 'date-time'] satisfies TextFormat[]

/** A form with the fields of a schema. A string says why it cannot be shown. */
export function readForm(server: string, message: unknown, schema: unknown): InputRequest | string {
  if (!isObject(schema) || !isObject(schema['properties'])) return 'the form has no fields'
  const required = new Set(Array.isArray(schema['required']) ? schema['required'].slice(0, maxFields * 2) : [])
  const properties = Object.entries(schema['properties'])
  if (properties.length > maxFields) return `the form has over ${maxFields} fields`
  const fields: FormField[] = []
  for (const [name, property] of properties) {
    if (name === '' || name.length > maxNameChars) return `a field's name must have 1 to ${maxNameChars} characters`
    const field = isObject(property) ? readField(name, property) : 'is not a schema'
    if (typeof field === 'string') return `the field ${name} ${field}`
    fields.push(required.has(name) ? { ...field, required: true } : field)
  }
  if (JSON.stringify(fields).length > maxFormChars) return `the form is over ${maxFormChars / 1024} KB`
  return { type: 'form', server, message: cut(message, maxMessageChars), fields }
}

/** A page to open. A string says why it cannot be offered. */
export function readLink(server: string, message: unknown, address: unknown): InputRequest | string {
  const url = typeof address === 'string' && address.length <= maxUrlChars ? URL.parse(address) : null
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'the page has no web address'
  if (url.username !== '' || url.password !== '') return 'the address of the page has a name or password in it'
  return { type: 'link', server, message: cut(message, maxMessageChars), url: url.href }
}

type Schema = Readonly<Record<string, unknown>>

function readField(name: string, schema: Schema): FormField | string {
  const head = {
    name,
    ...textAs('title', schema['title'], maxTitleChars),
    ...textAs('description', schema['description'], maxDescriptionChars),
  }
  switch (schema['type']) {
    case 'boolean':
      return { ...head, type: 'boolean', ...(typeof schema['default'] === 'boolean' && { default: schema['default'] }) }
    case 'number':
    case 'integer':
      return {
        ...head,
        type: schema['type'],
        ...boundsIn(schema, 'minimum', 'maximum'),
        ...(Number.isFinite(schema['default']) && { default: schema['default'] as number }),
      }
    case 'array':
      return readChoices(head, schema)
    case 'string':
      return schema['enum'] === undefined && schema['oneOf'] === undefined
        ? readText(head, schema)
        : readChoice(head, schema)
    default:
      return 'has a type that no form takes'
  }
}

type Head = Pick<FormField, 'name' | 'title' | 'description'>

function readText(head: Head, schema: Schema): FormField {
  const { format } = schema
  return {
    ...head,
    type: 'text',
    ...boundsIn(schema, 'minLength', 'maxLength'),
    ...(formats.includes(format as string) && { format: format as TextFormat }),
    ...textAs('default', schema['default'], maxDefaultChars),
  }
}

function readChoice(head: Head, schema: Schema): FormField | string {
  const options = readOptions(schema['oneOf'] ?? schema['enum'], schema['enumNames'])
  if (typeof options === 'string') return options
  const preset = options.find(({ value }) => value === schema['default'])
  return { ...head, type: 'choice', options, ...(preset && { default: preset.value }) }
}

function readChoices(head: Head, schema: Schema): FormField | string {
  const items = isObject(schema['items']) ? schema['items'] : {}
  const options = readOptions(items['anyOf'] ?? items['oneOf'] ?? items['enum'])
  if (typeof options === 'string') return options
  const preset = new Set<unknown>(Array.isArray(schema['default']) ? schema['default'] : [])
  const chosen = options.map(({ value }) => value).filter((value) => preset.has(value))
  const bounds = boundsIn(schema, 'minItems', 'maxItems')
  return { ...head, type: 'choices', options, ...bounds, ...(chosen.length > 0 && { default: chosen }) }
}

/** Texts, or objects with `const` and `title`. `names` are the titles of an older form of the protocol. */
function readOptions(list: unknown, names?: unknown): FormOption[] | string {
  if (!Array.isArray(list) || list.length === 0) return 'has no choices'
  if (list.length > maxOptions) return `has over ${maxOptions} choices`
  const options = list.map((each: unknown, at): FormOption | undefined => {
    const value = isObject(each) ? each['const'] : each
    if (typeof value !== 'string' || value.length > maxDefaultChars) return undefined
    const title = isObject(each) ? each['title'] : Array.isArray(names) ? names[at] : undefined
    return { value, ...textAs('title', title, maxTitleChars) }
  })
  const known = options.filter((each) => each !== undefined)
  return known.length === options.length ? known : 'has a choice that is not a text'
}

function boundsIn(schema: Schema, least: string, most: string): { min?: number; max?: number } {
  const [min, max] = [schema[least], schema[most]]
  return {
    ...(Number.isFinite(min) && { min: min as number }),
    ...(Number.isFinite(max) && { max: max as number }),
  }
}

function textAs<Name extends string>(name: Name, value: unknown, maxChars: number): { [key in Name]?: string } {
  return typeof value === 'string' && value !== ''
    ? ({ [name]: cut(value, maxChars) } as { [key in Name]?: string })
    : {}
}

function cut(value: unknown, maxChars: number): string {
  const text = typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : ''
  return text.length > maxChars ? `${text.slice(0, maxChars)}…`.toWellFormed() : text
}
