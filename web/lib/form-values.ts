// Entries in the form of a gate, and the values that are sent. The gateway checks them.
import type { Field } from '#doors/web/wire/gate.ts'

/** The state of one field: a text for boxes and lists, a tick, or the ticked choices. */
export type Entry = string | boolean | readonly string[]
export type Entries = ReadonlyMap<string, Entry>

/** The form as it is first shown, with its defaults. */
export function firstEntries(fields: readonly Field[]): Entries {
  return new Map(fields.map((field) => [field.name, firstEntry(field)]))
}

function firstEntry(field: Field): Entry {
  switch (field.type) {
    case 'boolean':
      return field.default ?? false
    case 'choices':
      return field.default ?? []
    case 'number':
    case 'integer':
      return field.default === undefined ? '' : String(field.default)
    case 'text':
    case 'choice':
      return field.default ?? ''
    default:
      return field satisfies never
  }
}

/** The description of a field, and the allowed values where its look does not tell. */
export function hintOf(field: Field): string {
  return [field.description, isPlain(field) ? '' : field.hint.replace(/^./, (first) => first.toUpperCase())]
    .filter(Boolean)
    .join(' · ')
}

/** True for a tick, a list, and a box that takes any text. */
function isPlain(field: Field): boolean {
  if (field.type !== 'text') return field.type === 'boolean' || field.type === 'choice'
  return field.format === undefined && field.min === undefined && field.max === undefined
}

/** The values to send. Null leaves a field empty, also one with a default. */
export function valuesOf(fields: readonly Field[], entries: Entries): Readonly<Record<string, unknown>> {
  return Object.fromEntries(fields.map((field) => [field.name, valueOf(field, entries.get(field.name) ?? '')]))
}

function valueOf({ type, required }: Field, entry: Entry): unknown {
  if (entry === '' || (Array.isArray(entry) && entry.length === 0 && !required)) return null
  // A text that is no number is sent as it is: the gateway says what is wrong with it.
  const isNumber = (type === 'number' || type === 'integer') && typeof entry === 'string'
  return isNumber && entry.trim() !== '' && !Number.isNaN(Number(entry)) ? Number(entry) : entry
}
