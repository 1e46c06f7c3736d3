// Secrets in text and bytes, in one pass: the customary formats of keys, and every value of this installation's own
// secrets in its spellings. Found is what is certain; a placeholder of a manual is none.
import { createAnchors } from './anchors.ts'
import { createPiecesOf, unpacked } from './disguise.ts'
import { type LeakRule, leakRules } from './leak-rules.ts'
import { spellingsOf } from './secret-values.ts'
import { type View, viewOf } from './view.ts'

/** A secret at a place. `rule` is the id of its format, or `own-secret`. */
export type Leak = { readonly rule: string; readonly start: number; readonly end: number }

export interface LeakScan {
  /** Every leak of a text, in its order; they may overlap. Bytes are read as they are, places count bytes. */
  find(text: string | Uint8Array): Leak[]
  /** The text without them. */
  mask(text: string): string
  /** The rule by which a text must not go out, in whatever it is wrapped; undefined while there is none. */
  stops(text: string | Uint8Array): string | undefined
}

const maskText = '***'
/** As much of a spelling stands in the automaton; the rest is compared where it is met. */
const anchorChars = 12
/** Own values shorter than this stand in ordinary text by chance: they are masked, and stop nothing. */
const minBlockingChars = 8
const shortSecret = 'own-secret-short'

/** Makes the scan; done once, and again when the secrets change. Without formats it knows these values alone. */
export function createLeakScan(secrets: readonly string[] = [], formats: readonly LeakRule[] = leakRules): LeakScan {
  const own = [...new Set(secrets)].flatMap(ownSpellings)
  const rules = formats.flatMap((rule) => rule.anchors.map((anchor) => ({ rule, anchor })))
  const anchors = createAnchors([
    ...rules.map(({ anchor }) => anchor),
    ...own.map(({ spelling }) => spelling.slice(0, anchorChars)),
  ])

  function search({ text, at }: View, found: Leak[]): void {
    // Where each rule may be looked for again, so that no stretch is looked at over and over.
    const until = new Map<LeakRule, number>()
    anchors.each(text, (word, start) => {
      const named = rules[word]
      if (!named) {
        const { spelling, id } = own[word - rules.length] as { spelling: string; id: string }
        if (text.startsWith(spelling, start))
          found.push({ rule: id, start: at(start), end: at(start + spelling.length) })
      } else if (start >= (until.get(named.rule) ?? 0)) {
        const match = matchAt(named.rule, text, start)
        if (!match) return
        until.set(named.rule, match.next)
        if (match.leak) found.push({ rule: named.rule.id, start: at(start), end: at(match.next) })
      }
    })
  }

  function find(given: string | Uint8Array): Leak[] {
    const text = textOf(given)
    const found: Leak[] = []
    search({ text, at: (index) => index }, found)
    if (encoded.test(text)) {
      const plain = viewOf(text, encodedPieces, decode)
      if (plain.text !== text) search(plain, found)
    }
    return found.length > 1 ? distinct(found) : found
  }

  const hasPieces = createPiecesOf(secrets)
  function stops(given: string | Uint8Array): string | undefined {
    const text = textOf(given)
    for (const each of unpacked(text)) {
      const leak = find(each).find(({ rule }) => rule !== shortSecret)
      if (leak) return leak.rule
    }
    return hasPieces(encoded.test(text) ? text.replaceAll(encodedPieces, decode) : text) ? 'own-secret' : undefined
  }

  return { find, stops, mask: (text) => masked(text, find(text)) }
}

function textOf(given: string | Uint8Array): string {
  return typeof given === 'string'
    ? given
    : Buffer.from(given.buffer, given.byteOffset, given.length).toString('latin1')
}

/** Two in one: whatever either finds. */
export function joinScans(one: LeakScan, other: LeakScan): LeakScan {
  const find = (text: string | Uint8Array): Leak[] => {
    const [found, more] = [one.find(text), other.find(text)]
    return more.length === 0 ? found : distinct([...found, ...more])
  }
  return { find, mask: (text) => masked(text, find(text)), stops: (text) => one.stops(text) ?? other.stops(text) }
}

function masked(text: string, leaks: readonly Leak[]): string {
  let clean = ''
  let from = 0
  for (const { start, end } of leaks) {
    if (end <= from) continue
    clean += start > from || from === 0 ? text.slice(from, start) + maskText : ''
    from = end
  }
  return from === 0 ? text : clean + text.slice(from)
}

/** The rule by which one of these must not go out; undefined while there is none. */
export function stopsIn(scan: LeakScan, texts: readonly (string | Uint8Array)[]): string | undefined {
  for (const text of texts) {
    const rule = scan.stops(text)
    if (rule !== undefined) return rule
  }
  return undefined
}

function ownSpellings(secret: string): { spelling: string; id: string }[] {
  const id = secret.length < minBlockingChars ? shortSecret : 'own-secret'
  const bytes = Buffer.from(secret, 'utf8').toString('latin1')
  const all = bytes === secret ? spellingsOf(secret) : [...spellingsOf(secret), bytes]
  return all.map((spelling) => ({ spelling, id }))
}

/**
 * What a rule makes of a place; undefined where its shape does not stand. `next` is where it may be looked for again: after
 * a leak, or from the middle of what only has the shape, since whatever begins before was seen there.
 */
function matchAt(
  { pattern, within, check }: LeakRule,
  text: string,
  start: number,
): { leak: boolean; next: number } | undefined {
  if (!within && start > 0 && /[A-Za-z0-9_]/.test(text[start - 1] as string)) return undefined
  pattern.lastIndex = start
  const match = pattern.exec(text)
  if (!match) return undefined
  const value = match[1] ?? match[0]
  const end = start + match[0].length
  if (isPlaceholder(value) || check?.(value) === false) return { leak: false, next: (start + end) >>> 1 }
  return { leak: true, next: end }
}

/** As manuals write keys that are none: AKIAIOSFODNN7EXAMPLE, sk-xxxxxxxx, YOUR_TOKEN_HERE, <token>, a name of a variable. */
function isPlaceholder(value: string): boolean {
  return (
    /example|placeholder|redacted|change[_-]?me|your[_-]?|insert[_-]|replace[_-]?|x{5,}|\*{3,}|\.{3,}|0{12,}|_here$/i.test(
      value.slice(0, 300),
    ) || /^[A-Z]+(?:_[A-Z]+)+$/.test(value)
  )
}

/** Letters that nobody sees. No controls: a secret does not go on over the end of a line. */
const unseen = /[\p{Cf}\p{Mn}\p{Me}\u115f\u1160\u3164\uffa0\u2800]/u
const dressed = String.raw`${unseen.source}|[\uff01-\uff5e\u{1d400}-\u{1d7ff}]`
const encoded = new RegExp(String.raw`${dressed}|%[0-9a-f]{2}|\\(?:u00|x)[0-7][0-9a-f]|&#`, 'iu')
const encodedPieces = new RegExp(
  String.raw`${dressed}|%(?:25)*[0-7][0-9a-f]|(?:%(?:25)*[c-f][0-9a-f])(?:%(?:25)*[89ab][0-9a-f]){1,3}|\\{1,2}(?:u00|x)[0-7][0-9a-f]|&#(?:x[0-9a-f]{2,4};|x[0-9a-f]{2}|\d{2,5};?)`,
  'giu',
)

/** Letters that nobody sees are left out; one in another dress, or written by its number, is read as itself. */
function decode(piece: string): string {
  if (piece.startsWith('\\')) return String.fromCharCode(Number.parseInt(piece.slice(-2), 16))
  if (piece.startsWith('%')) return undressed(lettersOf(piece.replaceAll(/%(?:25)+(?=[0-9a-f]{2})/gi, '%')))
  const [, hex, number] = /^&#(?:x([0-9a-f]+)|(\d+));?$/i.exec(piece) ?? []
  if (hex ?? number) return undressed(String.fromCharCode(hex ? Number.parseInt(hex, 16) : Number(number)))
  return undressed(piece)
}

function lettersOf(percent: string): string {
  try {
    return decodeURIComponent(percent)
  } catch {
    return percent
  }
}

function undressed(letter: string): string {
  return unseen.test(letter) ? '' : letter.normalize('NFKC')
}

function distinct(leaks: readonly Leak[]): Leak[] {
  const known = new Map(leaks.map((leak) => [`${leak.rule} ${leak.start} ${leak.end}`, leak]))
  return [...known.values()].sort((a, b) => a.start - b.start || b.end - a.end)
}
