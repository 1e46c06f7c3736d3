// A text letter by letter as a person reads it: unseen letters left out, dressed ones plain, look-alikes as one.
import type { View } from './view.ts'

/** Pairs: a Cyrillic or Greek letter, and the Latin one that it is taken for. */
const pairs = `
аa вb сc ԁd еe ёe һh нh іi їi јj кk ӏl мm пn оo рp ԛq гr ѕs тt цu ѵv ԝw хx уy зz єe ғf
αa βb ϲc δd εe ηn ιi κk μu νv οo ρp σo τt υu χx γy ωw ϳj ζz`

const alike: ReadonlyMap<string, string> = new Map(
  pairs
    .trim()
    .split(/\s+/)
    .map((pair) => [pair.slice(0, -1), pair.slice(-1)]),
)

/** Formats, accents and fillers: letters that nobody sees. */
const unseen = /[\p{Cf}\p{Mn}\p{Me}\u115f\u1160\u3164\uffa0\u2800]/u
/** Wide, mathematical and circled letters. */
const dressed = /[\uff01-\uff5e\u{1d400}-\u{1d7ff}\u24b6-\u24e9]/u

/** A letter as it is seen, or nothing. The tags have a shadow of every ASCII sign: a model reads them, a person does not. */
export function seenLetter(letter: string): string {
  const code = letter.codePointAt(0) ?? 0
  if (code > 0xe0020 && code < 0xe007f) return String.fromCharCode(code - 0xe0000)
  if (unseen.test(letter)) return ''
  return dressed.test(letter) ? letter.normalize('NFKC') : letter
}

/** A letter as it is seen, in plain Latin where it looks so. */
export function foldLetter(letter: string): string {
  const seen = seenLetter(letter)
  return alike.get(seen.toLowerCase()) ?? seen.normalize('NFD').replace(/(?<=^[a-z])\p{Mn}+$/iu, '')
}

/** True when a text has letters that are not read as they are written. */
export function isDisguised(text: string): boolean {
  return disguised.test(text)
}
const disguised = new RegExp(`${unseen.source}|${dressed.source}`, 'u')

/** Makes the reader of whole texts by one of these; what it knows of a letter it keeps. */
export function createReader(read: (letter: string) => string): (text: string) => View {
  let known: Int32Array | undefined
  /** The letter that one is read as; `gone` where it is left out. */
  const readOnce = (code: number, table: Int32Array): number => {
    const before = table[code] as number
    if (before !== unknown) return before
    const by = read(String.fromCodePoint(code)).codePointAt(0) ?? gone
    return (table[code] = by)
  }
  return (text) => {
    const table = (known ??= new Int32Array(tableSize))
    const units = new Uint16Array(text.length)
    const places = new Int32Array(text.length + 1)
    let count = 0
    const add = (unit: number, at: number): void => {
      units[count] = unit
      places[count++] = at
    }
    for (let at = 0; at < text.length; at++) {
      const code = text.codePointAt(at) as number
      const by = code < 128 ? code : readOnce(code, table)
      // No letter is read as one that takes more than itself.
      if (by > 0xffff) {
        add(0xd800 + ((by - 0x1_0000) >> 10), at)
        add(0xdc00 + ((by - 0x1_0000) & 0x3ff), at)
      } else if (by !== gone) add(by, at)
      if (code > 0xffff) at++
    }
    places[count] = text.length
    const view = Buffer.from(units.buffer, 0, count * 2).toString('utf16le')
    return { text: view, at: (index) => places[Math.min(index, count)] as number }
  }
}

const [unknown, gone] = [0, -1]
/** Every code point. The pages of it that no text touches take no memory. */
const tableSize = 0x11_0000
