// Marks: passages of text from outside that look like an instruction. A mark blocks nothing; the model, the log and the
// receipt show it. The policy decides what may happen.
import { createAnchors } from './anchors.ts'
import { drained } from './drained.ts'
import { createReader, foldLetter, isDisguised, visibleLetter } from './letters.ts'
import type { Severity } from './mark-phrases.ts'
import { compileMarkRules, markMeanings, type MarkRule } from './mark-rules.ts'
import type { View } from './view.ts'

export type Mark = {
  readonly rule: string
  readonly severity: Severity
  readonly start: number
  readonly end: number
}

/** More marks in one text say nothing new. */
const maxMarks = 50
/** A longer text is searched only up to here. */
const maxChars = 1_000_000
/** At most this many rule matches are tried in a text: twice what an ordinary page of 200,000 characters needs. */
const maxTries = 1_000

/** In a text made for it a try takes a millisecond. */
const triesInSlice = 10

export interface Marker {
  /** The marks of a text in order, at most `maxMarks`. */
  find(text: string): Mark[]
  /** The same in slices, for long texts: the caller can yield to the event loop between them. */
  findInSlices(text: string): Generator<void, Mark[]>
  /** True when a text has a mark above low severity, or too many candidates to check them all. In slices. */
  givesOrdersInSlices(text: string): Generator<void, boolean>
}

type Found = { readonly marks: Mark[]; readonly complete: boolean }

/** The distinct ids of all rules. */
export const markIds: readonly string[] = [...new Set([...markMeanings.keys(), 'hidden-text'])]

/** The effect of a text that matches a rule, in words. */
export function markWords(id: string): string {
  return markMeanings.get(id) ?? 'holds letters that a person does not see'
}

/** Makes a marker. `off` has the ids of the rules that the operator has switched off. */
export function createMarker({ off = [] }: { off?: readonly string[] } = {}): Marker {
  const rules = compileMarkRules().filter(({ id }) => !off.includes(id))
  const candidates = rules.flatMap((rule) => rule.anchors.map((anchor) => ({ anchor, rule })))
  const anchors = createAnchors(
    candidates.map(({ anchor }) => anchor),
    { ignoreCase: true },
  )
  const [asSeen, asFolded] = [createReader(visibleLetter), createReader(foldLetter)]
  /** Appends to `found` and returns the number of tries left. */
  function* search({ text, at }: View, found: Mark[], tries: number): Generator<void, number> {
    let left = tries
    let places: { readonly rule: MarkRule; readonly start: number }[] = []
    const walk = anchors.eachInSlices(text, (index, start) => {
      places.push({ rule: (candidates[index] as { rule: MarkRule }).rule, start })
    })
    for (let more = true; more && left > 0 && found.length < maxMarks; ) {
      more = walk.next().done !== true
      for (const { rule, start } of places) {
        if (left === 0 || found.length >= maxMarks) break
        if (found.some((mark) => mark.rule === rule.id && mark.end > at(start))) continue
        if (left % triesInSlice === 0) yield
        left--
        const pattern = rule.pattern()
        pattern.lastIndex = start
        if (!pattern.test(text)) continue
        found.push({ rule: rule.id, severity: rule.severity, start: at(start), end: at(pattern.lastIndex) })
      }
      places = []
      if (more) yield
    }
    return left
  }
  function* findIn(whole: string): Generator<void, Found> {
    const text = whole.length > maxChars ? whole.slice(0, maxChars) : whole
    const found: Mark[] = []
    const left = yield* search({ text, at: (index) => index }, found, maxTries)
    if (plainText.test(text)) return { marks: inOrder(found), complete: left > 0 }
    yield
    const [disguised, mixed] = [isDisguised(text), mixedWord.test(text)]
    yield
    if (disguised && !off.includes('hidden-text')) yield* findHiddenText(text, found)
    if (!disguised && !mixed) return { marks: inOrder(found), complete: left > 0 }
    // If a word mixes two alphabets, look-alike letters are folded to Latin.
    const rest = yield* search(yield* mixed ? asFolded(text) : asSeen(text), found, left)
    return { marks: inOrder(found), complete: rest > 0 }
  }

  // The prompt, the log and the receipt ask for the same text in a row.
  let last: (Found & { readonly text: string }) | undefined
  function* look(text: string): Generator<void, Found> {
    if (last?.text === text) return last
    const found = yield* findIn(text)
    last = { text, ...found }
    return found
  }
  function* findInSlices(text: string): Generator<void, Mark[]> {
    const { marks } = yield* look(text)
    return marks
  }
  function* givesOrdersInSlices(text: string): Generator<void, boolean> {
    const { marks, complete } = yield* look(text)
    return !complete || marks.some(({ severity }) => severity !== 'low')
  }
  return {
    find: (text) => drained(findInSlices(text)),
    findInSlices,
    givesOrdersInSlices,
  }
}

const plainText = /^\p{ASCII}*$/u
/** Latin letters next to Cyrillic or Greek ones in one word, which no honest text has. */
const mixedWord =
  /[A-Za-z][\u200b-\u200d\u2060\ufeff]{0,4}[\u0370-\u052f]|[\u0370-\u052f][\u200b-\u200d\u2060\ufeff]{0,4}[A-Za-z]/

const hiddenText: readonly [severity: Severity, pattern: RegExp][] = [
  // Tags after a black flag are honest: they write the flag of a region.
  ['high', /(?<![\u{1f3f4}\u{e0020}-\u{e007e}])[\u{e0020}-\u{e007e}]{3,2000}/gu],
  ['medium', /(?:[A-Za-z][\u200b-\u200d\u2060\u2063\ufeff]{1,20}){3,100}/g],
  ['medium', /[\u202d\u202e]/g],
  ['medium', /[\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]{8,2000}/gu],
]

/** Appends to `found`. */
function* findHiddenText(text: string, found: Mark[]): Generator<void> {
  for (const [severity, pattern] of hiddenText) {
    for (const { 0: piece, index } of text.matchAll(pattern).take(maxMarks))
      found.push({ rule: 'hidden-text', severity, start: index, end: index + piece.length })
    yield
  }
}

function inOrder(marks: Mark[]): Mark[] {
  return marks.sort((a, b) => a.start - b.start).slice(0, maxMarks)
}
