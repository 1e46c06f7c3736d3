// Text as a person sees it: invisible letters dropped, wide and mathematical letters made plain, look-alikes folded.
import type { View } from './view.ts'

/** Pairs of a Cyrillic or Greek letter and the Latin letter that it looks like. */
const pairs = `
аa вb сc ԁd еe ёe һh нh іi їi јj кk ӏl мm пn оo рp ԛq гr ѕs тt цu ѵv ԝw хx уy зz єe ғf
αa βb ϲc δd εe ηn ιi κk μu νv οo ρp σo τt υu χx γy ωw ϳj ζz`

const lookAlikes: ReadonlyMap<string, string> = new Map(
  pairs
    .trim()
    .split(/\s+/)
    .map((pair) => [pair.slice(0, -1), pair.slice(-1)]),
)

/** Format characters, and letters that are drawn as nothing. A part of a class of characters. */
export const hiddenLetters = String.raw`\p{Cf}\u115f\u1160\u3164\uffa0\u2800`
/** Letters that a person does not see: hidden letters and combining marks. Control characters not included. */
export const invisible = new RegExp(`[${hiddenLetters}\\p{Mn}\\p{Me}]`, 'u')
/** Wide, mathematical and circled letters. */
const styled = /[\uff01-\uff5e\u{1d400}-\u{1d7ff}\u24b6-\u24e9]/u

/** A letter as a person sees it, or '' if invisible. A Unicode tag becomes its ASCII letter, since a model reads it so. */
export function visibleLetter(letter: string): string {
  const code = letter.codePointAt(0) ?? 0
  if (code > 0xe0020 && code < 0xe007f) return String.fromCharCode(code - 0xe0000)
  if (invisible.test(letter)) return ''
  return styled.test(letter) ? letter.normalize('NFKC') : letter
}

/** A letter as a person sees it, as the plain Latin letter that it looks like, if any. Its accents come after it. */
export function foldLetter(letter: string): string {
  const seen = visibleLetter(letter)
  return lookAlikes.get(seen.toLowerCase()) ?? seen.normalize('NFD')
}

/** True when a text has invisible or styled letters. */
export function isDisguised(text: string): boolean {
  return disguised.test(text)
}
const disguised = new RegExp(`${invisible.source}|${styled.source}`, 'u')

/**
 * Makes a reader of whole texts from a function for one letter, of whose result the first letter counts. Results are
 * cached. It reads in slices: the caller can yield to the event loop between them.
 */
export function createReader(readLetter: (letter: string) => string): (text: string) => Generator<void, View> {
  let cache: Int32Array | undefined
  /** The code point that a letter is read as; `dropped` if it is left out. */
  const readOnce = (code: number, table: Int32Array): number => {
    const cached = table[code] as number
    if (cached !== unknown) return cached
    return (table[code] = readLetter(String.fromCodePoint(code)).codePointAt(0) ?? dropped)
  }
  return function* (text) {
    const table = (cache ??= new Int32Array(tableSize))
    const units = new Uint16Array(text.length)
    const positions = new Int32Array(text.length + 1)
    let count = 0
    let pause = sliceChars
    const add = (unit: number, at: number): void => {
      units[count] = unit
      positions[count++] = at
    }
    for (let at = 0; at < text.length; at++) {
      const code = text.codePointAt(at) as number
      const read = code < 128 ? code : readOnce(code, table)
      // The output never needs more UTF-16 units than the input: only a surrogate pair is read as one.
      if (read > 0xffff) {
        add(0xd800 + ((read - 0x1_0000) >> 10), at)
        add(0xdc00 + ((read - 0x1_0000) & 0x3ff), at)
      } else if (read !== dropped) add(read, at)
      if (code > 0xffff) at++
      if (at >= pause) {
        pause += sliceChars
        yield
      }
    }
    positions[count] = text.length
    const view = Buffer.from(units.buffer, 0, count * 2).toString('utf16le')
    return { text: view, at: (index) => positions[Math.min(index, count)] as number }
  }
}

const sliceChars = 64 * 1024
const [unknown, dropped] = [0, -1]
/** One entry for every code point. Memory pages that no text touches stay unallocated. */
const tableSize = 0x11_0000
