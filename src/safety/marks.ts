// Where text from outside looks like an instruction. A mark stops nothing: it is shown to the model, the log and the
// receipt. What may happen is the policy's to say.
import { createAnchors } from './anchors.ts'
import { createReader, foldLetter, isDisguised, seenLetter } from './letters.ts'
import type { Severity } from './mark-phrases.ts'
import { type MarkRule, markRules } from './mark-rules.ts'
import type { View } from './view.ts'

export type Mark = {
  readonly rule: string
  readonly severity: Severity
  readonly start: number
  readonly end: number
}

/** Marks of one text beyond this say nothing new. */
const maxMarks = 50
/** Beyond this a text is only looked at up to here: nobody reads on either. */
const maxChars = 1_000_000
/** So many places of a text are held against a rule, twice what an ordinary page of 200,000 letters has; then it is enough. */
const maxTries = 1_000

export interface Marker {
  /** The marks of a text in their order, at most some fifty; rules that are off make none. */
  find(text: string): Mark[]
  /** True when a text gives orders, or has more places to look at than are looked at. */
  speaks(text: string): boolean
}

type Found = { readonly marks: Mark[]; readonly whole: boolean }

/** Every rule by its id, once. */
export const markIds: readonly string[] = [...new Set([...markRules.map(({ id }) => id), 'hidden-text'])]

/** What a text does that meets a rule, in words. */
export function markWords(id: string): string {
  return markRules.find((rule) => rule.id === id)?.says ?? 'holds letters that a person does not see'
}

/** Makes the marker; done once. `off` holds the ids of rules that the operator has switched off. */
export function createMarker({ off = [] }: { off?: readonly string[] } = {}): Marker {
  const rules = markRules.filter(({ id }) => !off.includes(id))
  const places = rules.flatMap((rule) => rule.anchors.map((anchor) => ({ anchor, rule })))
  const anchors = createAnchors(
    places.map(({ anchor }) => anchor),
    { ignoreCase: true },
  )
  const [asSeen, asFolded] = [createReader(seenLetter), createReader(foldLetter)]
  /** Tells how many tries are left. */
  const search = ({ text, at }: View, found: Mark[], tries: number): number => {
    let left = tries
    anchors.each(text, (place, start) => {
      if (left === 0 || found.length >= maxMarks) return
      const { rule } = places[place] as { rule: MarkRule }
      if (found.some((mark) => mark.rule === rule.id && mark.end > at(start))) return
      left--
      rule.pattern.lastIndex = start
      if (!rule.pattern.test(text)) return
      found.push({ rule: rule.id, severity: rule.severity, start: at(start), end: at(rule.pattern.lastIndex) })
    })
    return left
  }
  function findIn(whole: string): Found {
    const text = whole.length > maxChars ? whole.slice(0, maxChars) : whole
    const found: Mark[] = []
    const left = search({ text, at: (index) => index }, found, maxTries)
    if (plainText.test(text)) return { marks: inOrder(found), whole: left > 0 }
    const [disguised, mixed] = [isDisguised(text), mixedWord.test(text)]
    if (disguised && !off.includes('hidden-text')) found.push(...unseenMarks(text))
    // Where a word is of two alphabets, letters are read by their look.
    const rest = disguised || mixed ? search(mixed ? asFolded(text) : asSeen(text), found, left) : left
    return { marks: inOrder(found), whole: rest > 0 }
  }

  // The prompt, the log and a receipt ask for the same text one after the other.
  let last: (Found & { readonly text: string }) | undefined
  const look = (text: string): Found => {
    if (last?.text !== text) last = { text, ...findIn(text) }
    return last
  }
  return {
    find: (text) => look(text).marks,
    speaks(text) {
      const { marks, whole } = look(text)
      return !whole || marks.some(({ severity }) => severity !== 'low')
    },
  }
}

const plainText = /^\p{ASCII}*$/u
/** Latin letters beside Cyrillic or Greek ones in one word: nobody writes so who wants to be read. */
const mixedWord =
  /[A-Za-z][\u200b-\u200d\u2060\ufeff]{0,4}[\u0370-\u052f]|[\u0370-\u052f][\u200b-\u200d\u2060\ufeff]{0,4}[A-Za-z]/

const unseen: readonly [severity: Severity, pattern: RegExp][] = [
  // A flag of a region is written with tags as well, after its black flag.
  ['high', /(?<![\u{1f3f4}\u{e0020}-\u{e007e}])[\u{e0020}-\u{e007e}]{3,2000}/gu],
  ['medium', /(?:[A-Za-z][\u200b-\u200d\u2060\u2063\ufeff]{1,20}){3,100}/g],
  ['medium', /[\u202d\u202e]/g],
  ['medium', /[\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]{8,2000}/gu],
]

function unseenMarks(text: string): Mark[] {
  return unseen.flatMap(([severity, pattern]) =>
    [...text.matchAll(pattern).take(maxMarks)].map(({ 0: piece, index }) => ({
      rule: 'hidden-text',
      severity,
      start: index,
      end: index + piece.length,
    })),
  )
}

function inOrder(marks: Mark[]): Mark[] {
  return marks.sort((a, b) => a.start - b.start).slice(0, maxMarks)
}
