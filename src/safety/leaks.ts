// Finds secrets in text and bytes in one pass: well-known key formats, and this installation's own secrets in every
// spelling. Only certain matches count; placeholders from manuals do not.
import { createAnchors } from './anchors.ts'
import { drained } from './drained.ts'
import { createPiecesOf, unpacked } from './hidden-secrets.ts'
import { type LeakRule, leakRules, type Run } from './leak-rules.ts'
import { invisible } from './letters.ts'
import { maskText, spellingsOf, spellingsOfBytes } from './secret-values.ts'
import { createView, type View } from './view.ts'

/** A secret at a position. `rule` is the id of its format, `own-secret` or `own-secret-short`. */
export type Leak = { readonly rule: string; readonly start: number; readonly end: number }

export interface LeakScan {
  /** Every leak of a text in order; leaks may overlap. Bytes are read as Latin-1, and positions then count bytes. */
  find(text: string | Uint8Array): Leak[]
  /** The same in slices, for long texts: the caller can yield to the event loop between them. */
  findInSlices(text: string | Uint8Array): Generator<void, Leak[]>
  /** The text with every leak replaced by `***`. */
  mask(text: string): string
  maskInSlices(text: string): Generator<void, string>
  /** The rule that forbids sending a text, encoded and hidden secrets included; undefined if none does. */
  stops(text: string | Uint8Array): string | undefined
  stopsInSlices(text: string | Uint8Array): Generator<void, string | undefined>
}

/** Only this much of a spelling goes into the automaton; the rest is compared where the anchor is found. */
const anchorChars = 12
/** Shorter own secrets appear in ordinary text by chance: they are masked but block nothing. */
const minBlockingChars = 8
const shortSecret = 'own-secret-short'

/** A secret of the installation: a text, or the bytes of a key. */
export type OwnSecret = string | Uint8Array

/** Makes a scan. Costly: make it once, and again when the secrets change. With `formats` empty it finds only `secrets`. */
export function createLeakScan(secrets: readonly OwnSecret[] = [], formats: readonly LeakRule[] = leakRules): LeakScan {
  const own = [...new Set(secrets)].flatMap(ownSpellings)
  const rules = formats.flatMap((rule) => rule.anchors.map((anchor) => ({ rule, anchor })))
  const anchors = createAnchors([
    ...rules.map(({ anchor }) => anchor),
    ...own.map(({ spelling }) => spelling.slice(0, anchorChars)),
  ])

  function search({ text, at }: View, found: Leak[]): Generator<void> {
    // The position from which each rule may match again, so that no stretch is matched over and over.
    const until = new Map<LeakRule, number>()
    return anchors.eachInSlices(text, (word, start) => {
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

  function* findInSlices(input: string | Uint8Array): Generator<void, Leak[]> {
    const text = textOf(input)
    const found: Leak[] = []
    yield* search({ text, at: (index) => index }, found)
    const plain = yield* decodedView(text)
    if (plain.text !== text) yield* search(plain, found)
    return found.length > 1 ? distinct(found) : found
  }

  const hasPieces = createPiecesOf(secrets)
  function* stopsInSlices(input: string | Uint8Array): Generator<void, string | undefined> {
    const text = textOf(input)
    for (const each of unpacked(text)) {
      const leak = (yield* findInSlices(each)).find(({ rule }) => rule !== shortSecret)
      if (leak) return leak.rule
      yield
    }
    return hasPieces((yield* decodedView(text)).text) ? 'own-secret' : undefined
  }

  return { ...findBy(findInSlices), stopsInSlices, stops: (text) => drained(stopsInSlices(text)) }
}

function textOf(input: string | Uint8Array): string {
  return typeof input === 'string'
    ? input
    : Buffer.from(input.buffer, input.byteOffset, input.length).toString('latin1')
}

/** Joins two scans into one that finds what either finds. */
export function joinScans(one: LeakScan, other: LeakScan): LeakScan {
  function* findInSlices(text: string | Uint8Array): Generator<void, Leak[]> {
    const [found, more] = [yield* one.findInSlices(text), yield* other.findInSlices(text)]
    return more.length === 0 ? found : distinct([...found, ...more])
  }
  function* stopsInSlices(text: string | Uint8Array): Generator<void, string | undefined> {
    return (yield* one.stopsInSlices(text)) ?? (yield* other.stopsInSlices(text))
  }
  return { ...findBy(findInSlices), stopsInSlices, stops: (text) => one.stops(text) ?? other.stops(text) }
}

type FindInSlices = (text: string | Uint8Array) => Generator<void, Leak[]>

function findBy(findInSlices: FindInSlices): Omit<LeakScan, 'stops' | 'stopsInSlices'> {
  function* maskInSlices(text: string): Generator<void, string> {
    return masked(text, yield* findInSlices(text))
  }
  return {
    findInSlices,
    find: (text) => drained(findInSlices(text)),
    maskInSlices,
    mask: (text) => drained(maskInSlices(text)),
  }
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

/** The rule that forbids sending one of these texts, in slices; undefined if none does. */
export function* stopsIn(scan: LeakScan, texts: readonly (string | Uint8Array)[]): Generator<void, string | undefined> {
  for (const text of texts) {
    const rule = yield* scan.stopsInSlices(text)
    if (rule !== undefined) return rule
  }
  return undefined
}

function ownSpellings(secret: OwnSecret): { spelling: string; id: string }[] {
  if (typeof secret !== 'string') return spellingsOfBytes(secret).map((spelling) => ({ spelling, id: 'own-secret' }))
  const id = secret.length < minBlockingChars ? shortSecret : 'own-secret'
  const bytes = Buffer.from(secret, 'utf8').toString('latin1')
  const all = bytes === secret ? spellingsOf(secret) : [...spellingsOf(secret), bytes]
  return all.map((spelling) => ({ spelling, id }))
}

/**
 * Matches a rule at a position; undefined if the pattern does not match. `next` is where the rule may match again: after a
 * leak, or from the middle of a match that is no leak, which bounds how often a stretch is matched.
 */
function matchAt(
  { pattern: patternOf, within, check, run }: LeakRule,
  text: string,
  start: number,
): { leak: boolean; next: number } | undefined {
  if (!within && start > 0 && /[A-Za-z0-9_]/.test(text[start - 1] as string)) return undefined
  const pattern = patternOf()
  pattern.lastIndex = start
  const match = pattern.exec(text)
  if (!match) return run && { leak: false, next: afterRun(run, text, start) }
  const value = match[1] ?? match[0]
  const end = start + match[0].length
  if (isPlaceholder(value) || check?.(value) === false) return { leak: false, next: (start + end) >>> 1 }
  return { leak: true, next: end }
}

/** Where a pattern that begins with a run may match after it failed: before that, the same end follows, or is too far. */
function afterRun({ pattern, max }: Run, text: string, start: number): number {
  pattern.lastIndex = start
  const end = start + (pattern.exec(text)?.[0].length ?? 0)
  return end - start <= max ? end : end - max
}

/** True for a key as manuals write it (AKIAIOSFODNN7EXAMPLE, sk-xxxxxxxx, YOUR_TOKEN_HERE) or the name of a variable. */
function isPlaceholder(value: string): boolean {
  return (
    /example|placeholder|redacted|change[_-]?me|your[_-]?|insert[_-]|replace[_-]?|x{5,}|\*{3,}|\.{3,}|0{12,}|_here$/i.test(
      value.slice(0, 300),
    ) || /^[A-Z]+(?:_[A-Z]+)+$/.test(value)
  )
}

/** Invisible, wide and mathematical letters. Control characters do not count: a secret does not span lines. */
const disguised = String.raw`${invisible.source}|[\uff01-\uff5e\u{1d400}-\u{1d7ff}]`
const encoded = new RegExp(String.raw`${disguised}|%[0-9a-f]{2}|\\(?:u00|x)[0-7][0-9a-f]|&#`, 'iu')
const encodedPieces = new RegExp(
  String.raw`${disguised}|%(?:25)*[0-7][0-9a-f]|(?:%(?:25)*[c-f][0-9a-f])(?:%(?:25)*[89ab][0-9a-f]){1,3}|\\{1,2}(?:u00|x)[0-7][0-9a-f]|&#(?:x[0-9a-f]{2,4};|x[0-9a-f]{2}|\d{2,5};?)`,
  'giu',
)

/** Of letters that are all encoded or wide it takes some 10 ms. */
const sliceChars = 16 * 1024
/** A slice ends at a letter outside of an escape, or where one begins, if that is within this many. No real escape is longer. */
const maxEscapeChars = 1_000
const endOfPiece = /(?<=[^])(?:[^%0-9a-f\\ux&#;\ud800-\udfff]|%(?=[0-7c-f])|(?<!\\)\\|&(?=#))/iu

/** The text with escapes, invisible and styled letters decoded, in slices. */
function* decodedView(text: string): Generator<void, View> {
  const decoded = createView()
  for (let from = 0; from < text.length; ) {
    if (from > 0) yield
    const to = endOfSlice(text, from)
    const slice = text.slice(from, to)
    from = to
    if (!encoded.test(slice)) {
      decoded.keep(slice)
      continue
    }
    let kept = 0
    for (const { 0: piece, index } of slice.matchAll(encodedPieces)) {
      decoded.keep(slice.slice(kept, index))
      decoded.change(piece, decode(piece))
      kept = index + piece.length
    }
    decoded.keep(slice.slice(kept))
  }
  return decoded.view()
}

function endOfSlice(text: string, from: number): number {
  const end = from + sliceChars
  if (end >= text.length) return text.length
  const found = text.slice(end - 1, end + maxEscapeChars).search(endOfPiece)
  return found < 0 ? end : end - 1 + found
}

/** Drops an invisible letter; turns a wide, mathematical or escaped letter into the plain one. */
function decode(piece: string): string {
  if (piece.startsWith('\\')) return String.fromCharCode(Number.parseInt(piece.slice(-2), 16))
  if (piece.startsWith('%')) return plainLetter(decodePercent(piece.replaceAll(/%(?:25)+(?=[0-9a-f]{2})/gi, '%')))
  const [, hex, number] = /^&#(?:x([0-9a-f]+)|(\d+));?$/i.exec(piece) ?? []
  if (hex ?? number) return plainLetter(String.fromCharCode(hex ? Number.parseInt(hex, 16) : Number(number)))
  return plainLetter(piece)
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function plainLetter(letter: string): string {
  return invisible.test(letter) ? '' : letter.normalize('NFKC')
}

/** The leaks in order, each once. No key is made of each: there may be 50,000, and V8 keeps every key of a map. */
function distinct(leaks: readonly Leak[]): Leak[] {
  const sorted = leaks.toSorted(
    (a, b) => a.start - b.start || b.end - a.end || Number(a.rule > b.rule) - Number(a.rule < b.rule),
  )
  return sorted.filter(({ rule, start, end }, at) => {
    const last = sorted[at - 1]
    return rule !== last?.rule || start !== last.start || end !== last.end
  })
}
