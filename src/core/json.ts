// JSON as data: the type, and the few pure functions on it that every floor shares.

/** A value that survives JSON.stringify and JSON.parse unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** True for a plain JSON object: not null, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object that a JSON text writes; undefined where it writes none. Numbers may lose digits: the text is the truth. */
export function objectIn(text: string): JsonObject | undefined {
  const value = valueIn(text)
  return isObject(value) ? (value as JsonObject) : undefined
}

/** The value that a JSON text writes; undefined where it is none. */
export function valueIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The one text of a value: sorted keys, no white space. Equal values have equal texts, as far as `levels` go. */
export function canonical(value: unknown, levels = Number.POSITIVE_INFINITY): string {
  if (typeof value === 'object' && value !== null && levels === 0) return '…'
  if (Array.isArray(value)) return `[${value.map((each) => canonical(each ?? null, levels - 1)).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const fields = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key], levels - 1)}`)
  return `{${fields.join(',')}}`
}

/** True for a value that nests deeper than so many levels: what walks it later must not run out of stack. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeperThan(levels - 1, each))
}

/** UTF-8 size of a text; every limit of the house is in bytes. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}
