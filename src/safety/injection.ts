// Text from outside is data. It goes to the model inside a fence whose closing mark it cannot write itself.

const mark = 'untrusted-content'

/** What a reader does not see, and a model may read over: blanks, formats, controls, accents of nothing. */
const unseen = '[\\s\\p{Cf}\\p{Cc}\\p{Mn}]*'

/** Wraps text that came from outside, naming where it came from. */
export function fence(text: string, origin: string): string {
  return `<${mark} from="${origin.replace(/["<>\p{Cc}\u2028\u2029]/gu, ' ')}">\n${withoutMark(text, mark)}\n</${mark}>`
}

/**
 * The text without any closing (or opening) mark of a block, in whatever case, spacing or look-alike, so it cannot end it.
 * No part of the pattern overlaps the next, so that hostile text costs no more than its length.
 */
export function withoutMark(text: string, name: string): string {
  const letters = name
    .split('')
    .map((letter) => (letter === '-' ? '[\\p{Pd}\u2212]' : letter))
    .join(unseen)
  return text.replaceAll(new RegExp(`[<＜﹤‹〈⟨]([\\s/／⁄∕⧸\\\\\\p{Cf}\\p{Cc}\\p{Mn}]*${letters})`, 'giu'), '&lt;$1')
}
