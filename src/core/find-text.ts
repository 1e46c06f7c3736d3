// Finds a long text in another in linear time, whatever both are. `indexOf` is quick for ordinary texts, but takes the
// product of both lengths for texts that repeat themselves: minutes for a million letters.

/** A millisecond of work. */
const sliceChars = 64 * 1024

/** The positions of a pattern in a text, from left to right, without overlaps (Knuth, Morris and Pratt). */
export function positionsOf(text: string, pattern: string): number[] {
  if (pattern === '' || pattern.length > text.length) return []
  const borders = bordersOf(pattern)
  const found: number[] = []
  let matched = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    while (matched > 0 && pattern.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0
    if (pattern.charCodeAt(matched) === unit) matched++
    if (matched < pattern.length) continue
    found.push(at + 1 - matched)
    matched = 0
  }
  return found
}

/** The same as `includes`. */
export function hasText(text: string, pattern: string): boolean {
  return positionsOf(text, pattern).length > 0
}

/** The same in slices, for long texts. */
export function* hasTextInSlices(text: string, pattern: string): Generator<void, boolean> {
  for (let from = 0; from + pattern.length <= text.length; from += sliceChars) {
    if (hasText(text.slice(from, from + sliceChars + pattern.length - 1), pattern)) return true
    yield
  }
  return false
}

/** A text with the pattern replaced at these positions. */
export function replacedAt(text: string, positions: readonly number[], length: number, by: string): string {
  const kept = positions.map((at, index) => text.slice(index === 0 ? 0 : (positions[index - 1] ?? 0) + length, at))
  return [...kept, text.slice((positions.at(-1) ?? -length) + length)].join(by)
}

/**
 * True for a text that matches itself at many places, such as a million equal letters. A search for it may take the product
 * of both lengths; for any other text the usual ways of searching take linear time.
 */
export function repeatsItself(text: string): boolean {
  // From both ends, since some ways of searching compare from the end; by doubling starts, since a start may be enough.
  for (const way of [text, reversed(text)]) {
    for (let chars = minRepetitiveChars; chars / 2 < text.length; chars *= 2) {
      const start = way.slice(0, chars)
      if (start.length >= minRepetitiveChars && selfMatches(start) > maxMatchesPerChar * start.length) return true
    }
  }
  return false
}

function reversed(text: string): string {
  return text.split('').toReversed().join('')
}

/** Shorter texts are searched quickly whatever they are. */
const minRepetitiveChars = 512
/** Keys in base64, and documents of JSON or PEM, have less than one. */
const maxMatchesPerChar = 16

/** How many characters of its own start a text has at all its other positions together. */
function selfMatches(text: string): number {
  const lengths = new Uint32Array(text.length)
  let [from, to, sum] = [0, 0, 0]
  for (let at = 1; at < text.length; at++) {
    let length = at < to ? Math.min(to - at, lengths[at - from] ?? 0) : 0
    while (at + length < text.length && text.charCodeAt(length) === text.charCodeAt(at + length)) length++
    if (at + length > to) [from, to] = [at, at + length]
    lengths[at] = length
    sum += length
  }
  return sum
}

/** For each position the length of the longest proper start of the pattern that ends there. */
function bordersOf(pattern: string): Uint32Array {
  const borders = new Uint32Array(pattern.length)
  let length = 0
  for (let at = 1; at < pattern.length; at++) {
    while (length > 0 && pattern.charCodeAt(at) !== pattern.charCodeAt(length)) length = borders[length - 1] ?? 0
    if (pattern.charCodeAt(at) === pattern.charCodeAt(length)) length++
    borders[at] = length
  }
  return borders
}
