// JSON of long values in a text of events, written when the text is sent, in slices: it never exists as a whole.
import { jsonInSlices, minLongChars } from '#core/json-slices.ts'
import { escapeLineEnds, eventJson } from './sse.ts'

/** Stands around the number of a value. JSON has no such character. */
const mark = '\0'

export type LateJson = {
  /** The JSON of a value, or a mark in its place if its `chars`, about as many as the JSON has, are many. */
  readonly json: (value: unknown, chars: number) => string
  /** True for a text with marks. */
  readonly isLate: (text: string) => boolean
  /** The pieces of a text with marks, in which the JSON of each value is in its place. */
  readonly pieces: (text: string) => Generator<string, void>
}

export function createLateJson(): LateJson {
  const values: unknown[] = []
  return {
    json: (value, chars) => (chars < minLongChars ? eventJson(value) : `${mark}${values.push(value) - 1}${mark}`),
    isLate: (text) => values.length > 0 && text.includes(mark),
    pieces: (text) => piecesOf(text, values),
  }
}

// Not a method of the object above: each stream makes one, and a generator function that is made anew keeps everything around
// it in memory until the next full collection.
function* piecesOf(text: string, values: readonly unknown[]): Generator<string, void> {
  for (const [at, part] of text.split(mark).entries()) {
    if (at % 2 === 0) yield part
    else for (const slice of jsonInSlices(values[Number(part)])) yield escapeLineEnds(slice)
  }
}
