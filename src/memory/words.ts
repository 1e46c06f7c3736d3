// From text to terms: one reading of words for every database, for what is kept and for what is asked. Accents and case
// are folded; names such as parseHTTPHeaders and user_id are read by their parts and as a whole; scripts without spaces
// are read in pairs of characters.
import { stem } from './stem.ts'
import { isCommonAbroad, isCommonEnglish } from './common.ts'

/** A longer word is cut: nobody types it, and an index has a longest term. */
const longestWord = 64
/** Words whose readings are remembered. */
const maxKnown = 20_000

/** Scripts in which words stand without spaces between them. */
const unspaced = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`
const letter = String.raw`[[\p{L}\p{N}\p{M}]--[${unspaced}]]`
const anyWord = new RegExp(String.raw`[[\p{L}\p{N}\p{M}]&&[${unspaced}]]+|${letter}+(?:[_\-.'’]${letter}+)*`, 'gv')
const asciiWord = /[a-z0-9]+(?:[_\-.'][a-z0-9]+)*/gi
const isUnspaced = new RegExp(`^[${unspaced}]`, 'v')
// oxlint-disable-next-line no-control-regex -- all of ASCII is meant
const isAscii = /^[\x00-\x7f]*$/
const camelPart = /\p{Lu}+(?!\p{Ll})[\p{N}]*|\p{Lu}?[\p{Ll}\p{M}\p{N}]+|[^\p{Lu}\p{Ll}]+/gu

/** A word as it is looked for. */
export type Word = {
  /** Its terms in order: the stems of its parts, or pairs of characters. */
  readonly body: readonly string[]
  /** It is of a script without spaces: `body` are pairs of its characters, or the one it has. */
  readonly unspaced?: true
  /** The last of several such characters. */
  readonly last?: string
  /** Its parts as they are written, folded. */
  readonly plain: readonly string[]
  /** All of it as one, where it has parts. */
  readonly whole?: string
  /** Other spellings: ü written as ue. */
  readonly spellings: readonly string[]
}

export type Reading = {
  readonly body: readonly string[]
  readonly extra: readonly string[]
  /** Where the word of each term of `body` begins and ends in the text. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** Every word of a text, with its place. */
export function* wordsIn(text: string): Generator<{ word: Word; start: number; end: number }> {
  const known = new Map<string, Word>()
  for (const { 0: found, index: start } of text.matchAll(isAscii.test(text) ? asciiWord : anyWord)) {
    yield { word: recall(known, found), start, end: start + found.length }
  }
}

/** Reads a text for the index. */
export function readText(text: string): Reading {
  const [body, extra, starts, ends]: [string[], string[], number[], number[]] = [[], [], [], []]
  const inflected: string[] = []
  let [english, abroad] = [0, 0]
  for (const { word, start, end } of wordsIn(text)) {
    for (const [at, term] of word.body.entries()) {
      body.push(term)
      starts.push(word.unspaced ? start + at : start)
      ends.push(word.unspaced ? Math.min(start + at + 2, end) : end)
      const plain = word.plain[at] ?? term
      if (plain !== term) extra.push(plain)
      if (isCommonEnglish(plain)) english++
      else if (isCommonAbroad(plain)) abroad++
      else inflected.push(plain)
    }
    // The last character of a run begins no pair, and somebody may look for it alone.
    if (word.last !== undefined) extra.push(word.last)
    if (word.whole !== undefined) extra.push(word.whole)
    extra.push(...word.spellings)
  }
  // Stems of other languages are rough: they serve where the text is in one, and have a place of their own.
  if (abroad > english) for (const plain of inflected) extra.push(...roughStem(plain))
  return { body, extra, starts, ends }
}

/** What a word of a language other than English is looked for by: it without its ending. */
export function roughStem(plain: string): string[] {
  if (plain.length < 5 || !/^[a-z]+$/.test(plain)) return []
  let bare = plain
  for (;;) {
    const next = bare.replace(/(ern|em|en|er|es|os|as|[ensoaix])$/, '')
    if (next === bare || next.length < 4) return [`~${bare}`]
    bare = next
  }
}

/** A word as terms. */
function readWord(found: string): Word {
  if (isUnspaced.test(found)) {
    const characters = Array.from(found.normalize('NFKC'))
    const body = pairsOf(characters)
    const last = characters.length > 1 ? characters.at(-1) : undefined
    return { body, plain: body, unspaced: true, ...(last !== undefined && { last }), spellings: [] }
  }
  // What stands before or after an apostrophe is seldom a word: l'homme, user's, don't.
  const bare = found.replace(/^\p{L}{1,2}['’](?=\p{L}{2})/u, '').replace(/['’]\p{L}{1,2}$/u, '')
  const parts = bare.split(/[_\-.'’]/).flatMap((part) => part.match(camelPart) ?? [])
  const plain = parts.map((part) => fold(part.slice(0, longestWord))).filter((part) => part !== '')
  const body = plain.map((part) => (/^[a-z]+$/.test(part) ? stem(part) : part))
  const joined = fold(found).slice(0, longestWord)
  const whole = joined === plain[0] ? undefined : joined
  const spellings = /[äöü]/i.test(found) ? [fold(found.replaceAll(/[äöü]/gi, spelledOut))] : []
  return { body, plain, ...(whole !== undefined && { whole }), spellings }
}

function recall(known: Map<string, Word>, found: string): Word {
  let word = known.get(found)
  if (!word) {
    word = readWord(found)
    if (known.size < maxKnown) known.set(found, word)
  }
  return word
}

function pairsOf(characters: readonly string[]): string[] {
  if (characters.length < 2) return [...characters]
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`)
}

const foldings: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  ð: 'd',
  þ: 'th',
}

function fold(word: string): string {
  const lower = word.toLowerCase()
  if (isAscii.test(lower)) return lower.replaceAll(/[^a-z0-9]/g, '')
  return lower
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replaceAll(/[ßæœøłđıðþ]/g, (character) => foldings[character] ?? '')
    .replaceAll(/[^\p{L}\p{N}\p{M}]/gu, '')
}

function spelledOut(umlaut: string): string {
  return { ä: 'ae', ö: 'oe', ü: 'ue' }[umlaut.toLowerCase()] ?? umlaut
}
