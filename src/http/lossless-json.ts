// JSON that others wrote, passed on as they wrote it: numbers that JSON.parse would change keep their own text.

/** Parts of the language that its types do not know yet. */
type SourceJson = {
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
}
const source = JSON as unknown as SourceJson

const maxLevels = 100

/** Finds every number in a text of JSON that is not written as JSON.stringify would; in strings it may find others. */
const oddNumber = /(?:^|[[:,\s])(?:-?(?:[\d.]{16}|\d+\.\d*0(?:$|[\s,}\]])|\d+(?:\.\d+)?[eE])|-0(?:$|[\s,}\]]))/

/**
 * The value of a JSON text, in which numbers that would lose their digits or their spelling stand as texts that
 * JSON.stringify writes out again letter by letter. Such a value is for writing, not for reckoning.
 */
export function parseExactly(text: string): unknown {
  if (!mayLoseDigits(text)) return JSON.parse(text)
  return source.parse(text, (_key, value, context) => {
    if (typeof value !== 'number' || context.source === undefined) return value
    return JSON.stringify(value) === context.source ? value : source.rawJSON(context.source)
  })
}

/** False for a text of JSON whose numbers are all written as JSON.stringify would write them. */
export function mayLoseDigits(text: string): boolean {
  return oddNumber.test(text)
}

/** True for a number that is kept as its text. */
export function isExactNumber(value: unknown): boolean {
  return source.isRawJSON(value)
}

/** True for a value that holds a number which is kept as its text; not looked for where no program would put one. */
export function holdsExact(value: unknown, levels = maxLevels): boolean {
  if (typeof value !== 'object' || value === null || levels === 0) return false
  return isExactNumber(value) || Object.values(value).some((each) => holdsExact(each, levels - 1))
}

/** A value with plain numbers again, as close as they come. */
export function plainly<T>(value: T): T {
  return holdsExact(value) ? (JSON.parse(JSON.stringify(value)) as T) : value
}
