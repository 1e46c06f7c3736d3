// What a server may put into one line or one answer of JSON. It is counted before it is parsed: four million brackets take
// most of a second to parse.
import { excessOf, type JsonBounds } from '#lib/json-bounds.ts'

/** More than any answer needs: a line has a few fields around its text. */
const lineBounds: JsonBounds = { values: 20_000, names: 10_000, levels: 100 }
/** A shorter line is parsed at once, whatever is in it. */
const minCountedBytes = 16 * 1024

/** The bound that a line of JSON exceeds, in words. */
export function excessIn(line: string | Uint8Array): string | undefined {
  if (line.length < minCountedBytes) return undefined
  const excess = excessOf(typeof line === 'string' ? Buffer.from(line) : line, lineBounds)
  return excess && `${excess} in a line`
}
