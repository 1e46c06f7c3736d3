// JSON values: their type, and a few pure functions that every folder uses.

/** A value that survives JSON.stringify and JSON.parse unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** True for a plain JSON object: not null, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses a JSON object; undefined when the text is not one. Large numbers lose digits: only the text is exact. */
export function objectIn(text: string): JsonObject | undefined {
  const value = valueIn(text)
  return isObject(value) ? (value as JsonObject) : undefined
}

/** Parses a JSON value; undefined when the text is not JSON. */
export function valueIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Canonical JSON: sorted keys, no white space. Equal values have equal texts. Deeper than `levels` it writes `…`. */
export function canonical(value: unknown, levels = Number.POSITIVE_INFINITY): string {
  if (typeof value === 'object' && value !== null && levels === 0) return '…'
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each, levels - 1)).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  let fields = ''
  for (const key of Object.keys(value).sort()) {
    if (value[key] === undefined) continue
    fields += `${fields && ','}${JSON.stringify(key)}:${canonical(value[key], levels - 1)}`
  }
  return `{${fields}}`
}

/** True when a value nests deeper than `levels`: a recursive walk of it could overflow the stack. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || someIn(value, (each) => isDeeperThan(levels - 1, each))
}

/** True once `test` is, for a member of JSON data. Object.values takes four times as long for an object of many members. */
export function someIn(value: object, test: (member: unknown) => boolean): boolean {
  if (Array.isArray(value)) return value.some(test)
  // oxlint-disable-next-line guard-for-in -- JSON data inherits nothing
  for (const key in value) if (test((value as Record<string, unknown>)[key])) return true
  return false
}

/** How many characters a text has, as people and databases count them: `length` counts most emoji twice. */
export function charCount(text: string): number {
  return Array.from(text).length
}

/** The UTF-8 size of a text. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}
