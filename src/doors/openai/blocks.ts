// The blocks that stand before the message in a user's item: instructions, and what the application knows of the user.
import { isObject } from '#core/json.ts'
import { isExactNumber } from '#http/lossless-json.ts'
import { withoutMarks } from '#safety/fence.ts'

/** Instructions in the order they were given, as one block; empty when there are none. */
export function instructionsBlock(texts: readonly string[]): string {
  const given = texts.filter((text) => text.trim() !== '')
  return given.length > 0 ? block('instructions', given.join('\n\n')) : ''
}

/** A flat mapping from key to object, one line a field; what is nested deeper is raw JSON. */
export function contextBlock(context: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(context).flatMap(([key, value]) => {
    if (!isObject(value) || isExactNumber(value)) return [`${key}: ${shown(value)}`]
    return [`${key}:`, ...Object.entries(value).map(([field, inner]) => `  ${field}: ${shown(inner)}`)]
  })
  return lines.length > 0 ? block('user-context', lines.join('\n')) : ''
}

/** Text inside a block cannot close it. */
export function block(name: string, text: string): string {
  return `<${name}>\n${withoutMarks(text)}\n</${name}>\n\n`
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
