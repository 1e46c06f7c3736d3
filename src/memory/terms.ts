// The tokenizer: turns text into index terms, the same for both databases, for documents and queries. It folds accents
// and case, indexes identifiers such as parseHTTPHeaders and user_id by parts and as a whole, splits scripts without
// spaces into pairs of characters, and treats an emoji as a word.
import { stemmer } from 'stemmer'
import { isCommonForeign, isCommonEnglish } from './stop-words.ts'
import { createWordCache } from './word-cache.ts'

/** Longer words are truncated: indexes limit the length of a term. */
const maxWordLength = 64
/** Words that each reader keeps. */
const defaultMaxCached = 32_000

/** Scripts without spaces between words. */
const unspaced = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`
const letter = String.raw`[[\p{L}\p{N}\p{M}]--[${unspaced}]]`
/** Variation selector and skin tone of an emoji: ignored in terms. */
const modifiers = String.raw`[\uFE0F\p{Emoji_Modifier}]`
const picture = String.raw`\p{Extended_Pictographic}${modifiers}*`
const emoji = String.raw`\p{Regional_Indicator}{2}|${picture}(?:\u200D${picture})*`
const anyPattern = String.raw`${emoji}|[[\p{L}\p{N}\p{M}]&&[${unspaced}]]+|${letter}+(?:[_\-.'’]${letter}+)*`
const asciiPattern = String.raw`[a-z0-9]+(?:[_\-.'][a-z0-9]+)*`
// oxlint-disable-next-line no-control-regex -- matches all of ASCII
const isAscii = /^[\x00-\x7f]*$/
/** A word of one part that is spelled as it is folded: most are. */
const isSimple = new RegExp(`^[a-z0-9]{1,${maxWordLength}}$`)
/** Patterns of Unicode take milliseconds to make, so a reader makes them when it meets the first word that needs one. */
const makePatterns = () => ({
  isEmoji: new RegExp(`^(?:${emoji})$`, 'v'),
  everyModifier: new RegExp(modifiers, 'gv'),
  isUnspaced: new RegExp(`^[${unspaced}]`, 'v'),
  camelPart: /\p{Lu}+(?!\p{Ll})[\p{N}]*|\p{Lu}?[\p{Ll}\p{M}\p{N}]+|[^\p{Lu}\p{Ll}]+/gu,
})
type Patterns = ReturnType<typeof makePatterns>

/** Shared by most words in the cache. */
const none: readonly string[] = []

/** The terms of a word. */
export type Word = {
  /** Its main terms in order: the stems of its parts, or pairs of characters. */
  readonly body: readonly string[]
  /** The word is in a script without spaces: `body` has pairs of its characters, or its single character. */
  readonly unspaced?: true
  /** The last character of a run of several. */
  readonly last?: string
  /** Its parts unstemmed, folded. */
  readonly plain: readonly string[]
  /** The whole word as one term, when it has parts. */
  readonly whole?: string
  /** Other spellings: ü as ue. */
  readonly spellings: readonly string[]
  /** Further terms that find it: all of the above that is not in `body`. */
  readonly extra: readonly string[]
  /** Its parts that are no common words. */
  readonly rare: readonly string[]
  /** See `roughStemsOf`, which makes them when they are asked for: most texts need none. */
  roughStems: readonly string[] | undefined
  /** How many of its parts are common words of English, and of other languages. */
  readonly english: number
  readonly foreign: number
}

type Spelled = Omit<Word, 'extra' | 'rare' | 'roughStems' | 'english' | 'foreign'>

export type Reading = {
  readonly body: readonly string[]
  readonly extra: readonly string[]
  /** Start and end of each term of `body` in the text. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** Tokenizes texts, with a cache of words: most words occur in many texts. */
export interface Reader {
  /** The words of a text, and where each ends. */
  words(text: string): readonly { word: Word; end: number }[]
  /** The terms of a text, for the index. */
  read(text: string): Reading
}

export function createReader(maxCached = defaultMaxCached): Reader {
  let patterns: Patterns | undefined
  const read = (found: string): Word => readWord(found, () => (patterns ??= makePatterns()))
  const recall = createWordCache(maxCached, read)
  // Made on first use: the second takes milliseconds.
  let asciiWord: RegExp | undefined
  let anyWord: RegExp | undefined

  /** Visits every word with its position. A callback and not a list: a search reads many thousands of words. */
  function each(text: string, visit: (word: Word, start: number, end: number) => void): void {
    const pattern = isAscii.test(text)
      ? (asciiWord ??= new RegExp(asciiPattern, 'gi'))
      : (anyWord ??= new RegExp(anyPattern, 'gv'))
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const [found] = match
      // A longer one hardly occurs again.
      visit(found.length > maxWordLength ? read(found) : recall(found), match.index, pattern.lastIndex)
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
      let [english, foreign] = [0, 0]
      each(text, (word, start, end) => {
        for (let at = 0; at < word.body.length; at++) {
          body.push(word.body[at] ?? '')
          starts.push(word.unspaced ? start + at : start)
          ends.push(word.unspaced ? Math.min(start + at + 2, end) : end)
        }
        for (const term of word.extra) extra.push(term)
        english += word.english
        foreign += word.foreign
        if (word.rare.length > 0) inflected.push(word)
      })
      // Rough stems of other languages are added only when the text is in one; their ~ keeps them apart.
      if (foreign > english) for (const word of inflected) extra.push(...roughStemsOf(word))
      return { body, extra, starts, ends }
    },
  }
}

/** The stems of a word in languages other than English. */
export function roughStemsOf(word: Word): readonly string[] {
  word.roughStems ??= orNone(word.rare.flatMap(roughStem))
  return word.roughStems
}

/** The stem of a word in a language other than English: the word without common endings, prefixed with ~. */
function roughStem(plain: string): string[] {
  if (plain.length < 5 || !/^[a-z]+$/.test(plain)) return []
  let bare = plain
  for (;;) {
    const next = bare.replace(/(ern|em|en|er|es|os|as|[ensoaix])$/, '')
    if (next === bare || next.length < 4) return [`~${bare}`]
    bare = next
  }
}

function readWord(found: string, patterns: () => Patterns): Word {
  const spelled = spell(found, patterns)
  const { body, plain, whole, last, spellings } = spelled
  const written = plain.filter((each, at) => each !== body[at])
  const rare = plain.filter((each) => !isCommonEnglish(each) && !isCommonForeign(each))
  const english = plain.filter(isCommonEnglish).length
  return {
    ...spelled,
    // The last character of a run starts no pair, so it is indexed alone.
    extra: orNone([
      ...written,
      ...(last === undefined ? [] : [last]),
      ...(whole === undefined ? [] : [whole]),
      ...spellings,
    ]),
    rare: rare.length === plain.length ? plain : orNone(rare),
    roughStems: undefined,
    english,
    foreign: plain.length - rare.length - english,
  }
}

function orNone(terms: readonly string[]): readonly string[] {
  return terms.length === 0 ? none : terms
}

function spell(found: string, patterns: () => Patterns): Spelled {
  if (isSimple.test(found)) return { body: [stem(found)], plain: [found], spellings: none }
  const { isUnspaced, isEmoji, everyModifier, camelPart } = patterns()
  if (isUnspaced.test(found)) {
    const characters = Array.from(found.normalize('NFKC'))
    const body = pairsOf(characters)
    const last = characters.length > 1 ? characters.at(-1) : undefined
    return { body, plain: body, unspaced: true, ...(last !== undefined && { last }), spellings: none }
  }
  if (isEmoji.test(found)) {
    const body = [found.replaceAll(everyModifier, '').slice(0, maxWordLength)]
    return { body, plain: body, spellings: none }
  }
  // One or two letters before or after an apostrophe are rarely a word: l'homme, user's, don't.
  const bare = found.replace(/^\p{L}{1,2}['’](?=\p{L}{2})/u, '').replace(/['’]\p{L}{1,2}$/u, '')
  const parts = bare.split(/[_\-.'’]/).flatMap((part) => part.match(camelPart) ?? [])
  const plain = parts.map((part) => fold(part.slice(0, maxWordLength))).filter((part) => part !== '')
  const body = plain.map(stem)
  const joined = fold(found)
  const whole = joined === plain[0] ? undefined : joined
  const spellings = /[äöü]/i.test(found) ? [fold(found.replaceAll(/[äöü]/gi, spelledOut))] : none
  return { body, plain, ...(whole !== undefined && { whole }), spellings }
}

function stem(part: string): string {
  return /^[a-z]+$/.test(part) ? stemmer(part) : part
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

/** Truncated at the end: a folded word may be longer, one sign of Arabic by eighteen letters. */
function fold(word: string): string {
  const lower = word.toLowerCase()
  if (isAscii.test(lower)) return lower.replaceAll(/[^a-z0-9]/g, '').slice(0, maxWordLength)
  return lower
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replaceAll(/[ßæœøłđıðþ]/g, (character) => foldings[character] ?? '')
    .replaceAll(/[^\p{L}\p{N}\p{M}]/gu, '')
    .slice(0, maxWordLength)
}

function spelledOut(umlaut: string): string {
  return { ä: 'ae', ö: 'oe', ü: 'ue' }[umlaut.toLowerCase()] ?? umlaut
}
