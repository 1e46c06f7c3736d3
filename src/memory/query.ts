// Parses a search query. Any text is valid: quotes make a required phrase, a star after a word makes a prefix, and every
// other word is optional.
import { type Match, maxQueryChars } from '#core/document.ts'
import { isCommonForeign, isCommonEnglish } from './stop-words.ts'
import { type Reader, roughStemsOf, type Word } from './terms.ts'

const maxTerms = 24
/** Terms of one phrase, and of all phrases of a query: the index compares the places of each in every chunk. */
const maxPhraseTerms = 12
const maxTermsInPhrases = 24
/** Queries of up to this many words also look for neighbours written as one word. */
const maxJoinedWords = 4

/** One form in which the index may hold a query term; `worth` is how much one use of it counts. */
export type Variant = (
  | { readonly term: string }
  | { readonly prefix: string }
  | { readonly phrase: readonly string[] }
) & {
  readonly worth: number
}

/** A word or phrase of a query; any of its variants matches. */
export type QueryTerm = {
  readonly variants: readonly Variant[]
  /** Its weight in the query. */
  readonly weight: number
  /** A phrase in quotes: chunks without it are not found. */
  readonly required?: true
  /** The prefix to search for when the word itself is rare in the index. */
  readonly prefix?: string
}

/** The terms of a query: phrases first, then words in order. Of a long phrase the first terms count. */
export function readQuery(reader: Reader, query: string): QueryTerm[] {
  const phrases: QueryTerm[] = []
  const rest = query
    .slice(0, maxQueryChars)
    .replaceAll(/["“”„]([^"“”„]+)["“”„]|«([^«»]+)»|「([^「」]+)」/g, (_, ...inside: (string | undefined)[]) => {
      const phrase = phraseOf(reader, inside.slice(0, 3).find((text) => text !== undefined) ?? '')
      if (phrase) phrases.push(phrase)
      return '\n'
    })
  const words = reader.words(rest).map(({ word, end }) => ({ word, isPrefix: rest[end] === '*' }))
  const significant = words.filter(({ word }) => !word.plain.every(isCommonEnglish))
  const chosen = significant.length > 0 || phrases.length > 0 ? significant : words
  const terms = chosen.flatMap(({ word, isPrefix }, at) => {
    const next = chosen.length <= maxJoinedWords ? chosen[at + 1]?.word : undefined
    return [...termsOf(word, isPrefix), ...joinedWith(word, next)]
  })
  return withShortPhrases([...withoutDuplicates(phrases), ...withoutDuplicates(terms)].slice(0, maxTerms))
}

/** The index query of a term. */
export function matchOf({ variants }: QueryTerm): Match {
  const matches = variants.map((variant): Match => {
    if ('term' in variant) return { term: variant.term }
    return 'prefix' in variant ? { prefix: variant.prefix } : { phrase: variant.phrase }
  })
  const [only] = matches
  return only && matches.length === 1 ? only : { any: matches }
}

/** The term with its prefix as a further variant. */
export function withPrefix(term: QueryTerm, worth = 0.5): QueryTerm {
  if (term.prefix === undefined) return term
  return { ...term, variants: [...term.variants, { prefix: term.prefix, worth }] }
}

function phraseOf(reader: Reader, text: string): QueryTerm | undefined {
  const words = reader.words(text).map(({ word }) => word)
  const phrase = words.flatMap(({ body }) => body).slice(0, maxPhraseTerms)
  const [only] = phrase
  if (only === undefined) return undefined
  const whole = words.length === 1 && words[0]?.whole !== undefined ? [{ term: words[0].whole, worth: 1 }] : []
  const variant = phrase.length === 1 ? { term: only, worth: 1 } : { phrase, worth: 1 }
  return { variants: [variant, ...whole], weight: 1.5, required: true }
}

function termsOf(word: Word, isPrefix: boolean): QueryTerm[] {
  const { body, plain, whole, spellings } = word
  const [only = ''] = body
  if (word.unspaced) {
    // A single character matches as the start of a pair, or as the last of a run.
    if (word.last === undefined) return [{ variants: [{ prefix: only, worth: 1 }], weight: 1 }]
    return body.map((pair) => ({ variants: [{ term: pair, worth: 1 }], weight: 1 }))
  }
  if (body.length > 1) {
    const variants: Variant[] = [
      { phrase: body.slice(0, maxPhraseTerms), worth: 1 },
      ...(whole === undefined ? [] : [{ term: whole, worth: 1 }]),
    ]
    const parts = body.flatMap((term, at) =>
      isCommonEnglish(plain[at] ?? '') ? [] : [{ variants: [{ term, worth: 1 }], weight: 0.4 }],
    )
    return [{ variants, weight: 1, ...(whole !== undefined && { prefix: whole }) }, ...parts]
  }
  const [written = only] = plain
  const variants: Variant[] = [
    { term: only, worth: 1 },
    ...(whole === undefined ? [] : [{ term: whole, worth: 1 }]),
    ...spellings.map((term) => ({ term, worth: 1 })),
    ...roughStemsOf(word).map((term) => ({ term, worth: 0.7 })),
  ]
  const term: QueryTerm = { variants, weight: isCommonForeign(written) ? 0.3 : 1, prefix: written }
  return [isPrefix ? withPrefix(term, 1) : term]
}

/** `web socket` also finds websocket. */
function joinedWith(word: Word, next: Word | undefined): QueryTerm[] {
  const [first, second] = [word.plain, next?.plain ?? []]
  if (first.length !== 1 || second.length !== 1 || !/^[a-z0-9]+$/.test(`${first[0]}${second[0]}`)) return []
  const joined = `${first[0]}${second[0]}`
  return [{ variants: [{ term: joined, worth: 1 }], weight: 0.8 }]
}

/** One term per first variant, with the highest weight. */
function withoutDuplicates(terms: readonly QueryTerm[]): QueryTerm[] {
  const byVariant = new Map<string, QueryTerm>()
  for (const each of terms) {
    const key = JSON.stringify(each.variants[0])
    const known = byVariant.get(key)
    if (!known || known.weight < each.weight) byVariant.set(key, known ? { ...known, weight: each.weight } : each)
  }
  return [...byVariant.values()]
}

/** Cuts the phrases once they have `maxTermsInPhrases` terms, and drops those after. */
function withShortPhrases(terms: readonly QueryTerm[]): QueryTerm[] {
  let left = maxTermsInPhrases
  const short = (variant: Variant): Variant[] => {
    if (!('phrase' in variant)) return [variant]
    const phrase = variant.phrase.slice(0, left)
    left -= phrase.length
    return phrase.length > 1 ? [{ ...variant, phrase }] : []
  }
  return terms
    .map((term) => ({ ...term, variants: term.variants.flatMap(short) }))
    .filter(({ variants }) => variants.length > 0)
}
