// From text to terms: one reading of words for every database, for what is kept and for what is asked. Accents and case
// are folded; names such as parseHTTPHeaders and user_id are read by their parts and as a whole; scripts without spaces
// are read in pairs of characters; an emoji is a word.
import { stemmer } from 'stemmer'
import { isCommonAbroad, isCommonEnglish } from './stop-words.ts'

/** A longer word is cut: nobody types it, and an index has a longest term. */
const maxWordLength = 64
/** Words whose readings are remembered. */
const maxKnown = 50_000

/** Scripts in which words stand without spaces between them. */
const unspaced = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`
const letter = String.raw`[[\p{L}\p{N}\p{M}]--[${unspaced}]]`
/** How an emoji is to look, and its skin: that is not what it says. */
const looks = String.raw`[\uFE0F\p{Emoji_Modifier}]`
const picture = String.raw`\p{Extended_Pictographic}${looks}*`
const emoji = String.raw`\p{Regional_Indicator}{2}|${picture}(?:\u200D${picture})*`
const anyPattern = String.raw`${emoji}|[[\p{L}\p{N}\p{M}]&&[${unspaced}]]+|${letter}+(?:[_\-.'’]${letter}+)*`
const asciiPattern = String.raw`[a-z0-9]+(?:[_\-.'][a-z0-9]+)*`
const isEmoji = new RegExp(`^(?:${emoji})$`, 'v')
const everyLook = new RegExp(looks, 'gv')
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
  /** What it is found by besides: all of the above that is not in `body`. */
  readonly extra: readonly string[]
  /** Its stems in languages other than English. */
  readonly rough: readonly string[]
  /** How many of its parts are common words of English, and of other languages. */
  readonly english: number
  readonly abroad: number
}

type Spelled = Omit<Word, 'extra' | 'rough' | 'english' | 'abroad'>

export type Reading = {
  readonly body: readonly string[]
  readonly extra: readonly string[]
  /** Where the word of each term of `body` begins and ends in the text. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** Reads texts, and remembers the words it has read: most words of a text were in others before. */
export interface Reader {
  /** Every word of a text, and where it ends. */
  words(text: string): readonly { word: Word; end: number }[]
  /** A text for the index. */
  read(text: string): Reading
}

export function createReader(): Reader {
  const known = new Map<string, Word>()
  const [asciiWord, anyWord] = [new RegExp(asciiPattern, 'gi'), new RegExp(anyPattern, 'gv')]

  function recall(found: string): Word {
    let word = known.get(found)
    if (!word) {
      word = readWord(found)
      if (known.size >= maxKnown) known.clear()
      if (found.length <= maxWordLength) known.set(found, word)
    }
    return word
  }

  /** Every word of a text with its place; a callback, since a search reads many thousands. */
  function each(text: string, visit: (word: Word, start: number, end: number) => void): void {
    const pattern = isAscii.test(text) ? asciiWord : anyWord
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      visit(recall(match[0]), match.index, pattern.lastIndex)
    }
  }

  return {
    words(text) {
      const words: { word: Word; end: number }[] = []
      each(text, (word, _, end) => words.push({ word, end }))
      return words
    },
    read(text) {
      const [body, extra, starts, ends]: [string[], string[], number[], number[]] = [[], [], [], []]
      const inflected: Word[] = []
      let [english, abroad] = [0, 0]
      each(text, (word, start, end) => {
        for (let at = 0; at < word.body.length; at++) {
          body.push(word.body[at] ?? '')
          starts.push(word.unspaced ? start + at : start)
          ends.push(word.unspaced ? Math.min(start + at + 2, end) : end)
        }
        for (const term of word.extra) extra.push(term)
        english += word.english
        abroad += word.abroad
        if (word.rough.length > 0) inflected.push(word)
      })
      // Stems of other languages are rough: they serve where the text is in one, and have a place of their own.
      if (abroad > english) for (const { rough } of inflected) extra.push(...rough)
      return { body, extra, starts, ends }
    },
  }
}

/** What a word of a language other than English is looked for by: it without its ending. */
function roughStem(plain: string): string[] {
  if (plain.length < 5 || !/^[a-z]+$/.test(plain)) return []
  let bare = plain
  for (;;) {
    const next = bare.replace(/(ern|em|en|er|es|os|as|[ensoaix])$/, '')
    if (next === bare || next.length < 4) return [`~${bare}`]
    bare = next
  }
}

/** A word as terms, and what an index wants to know of it. */
function readWord(found: string): Word {
  const spelled = spell(found)
  const { body, plain, whole, last, spellings } = spelled
  const written = plain.filter((each, at) => each !== body[at])
  const rare = plain.filter((each) => !isCommonEnglish(each) && !isCommonAbroad(each))
  const english = plain.filter(isCommonEnglish).length
  return {
    ...spelled,
    // The last character of a run begins no pair, and somebody may look for it alone.
    extra: [...written, ...(last === undefined ? [] : [last]), ...(whole === undefined ? [] : [whole]), ...spellings],
    rough: rare.flatMap(roughStem),
    english,
    abroad: plain.length - rare.length - english,
  }
}

function spell(found: string): Spelled {
  if (isUnspaced.test(found)) {
    const characters = Array.from(found.normalize('NFKC'))
    const body = pairsOf(characters)
    const last = characters.length > 1 ? characters.at(-1) : undefined
    return { body, plain: body, unspaced: true, ...(last !== undefined && { last }), spellings: [] }
  }
  if (isEmoji.test(found)) {
    const body = [found.replaceAll(everyLook, '').slice(0, maxWordLength)]
    return { body, plain: body, spellings: [] }
  }
  // What stands before or after an apostrophe is seldom a word: l'homme, user's, don't.
  const bare = found.replace(/^\p{L}{1,2}['’](?=\p{L}{2})/u, '').replace(/['’]\p{L}{1,2}$/u, '')
  const parts = bare.split(/[_\-.'’]/).flatMap((part) => part.match(camelPart) ?? [])
  const plain = parts.map((part) => fold(part.slice(0, maxWordLength))).filter((part) => part !== '')
  const body = plain.map((part) => (/^[a-z]+$/.test(part) ? stemmer(part) : part))
  const joined = fold(found).slice(0, maxWordLength)
  const whole = joined === plain[0] ? undefined : joined
  const spellings = /[äöü]/i.test(found) ? [fold(found.replaceAll(/[äöü]/gi, spelledOut))] : []
  return { body, plain, ...(whole !== undefined && { whole }), spellings }
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
