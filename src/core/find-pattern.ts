// The words that are looked for in one thread, as the browser's own search takes them: a part of the text, in upper or lower
// case. The gateway counts with it, the page marks with it. Imports nothing: the page loads it.

/** The longest words that are looked for. */
export const maxFindChars = 200
/** Words after these are not looked for: where a text repeats them, each place takes as long as there are words. */
export const maxFindWords = 20

/** Marks of Markdown, which may stand between two words. */
const marks = '*_`'

/**
 * A pattern for the words anywhere in a text; undefined if there are none. Characters that join two words can neither
 * begin nor end one, so there is one way to match at each place and the time grows with the text alone.
 */
export function findPattern(words: string): RegExp | undefined {
  const parts = words.trim().slice(0, maxFindChars).trimEnd().split(/\s+/, maxFindWords)
  if (parts[0] === '') return undefined
  const source = parts.map((part, at) => {
    const escaped = part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
    const before = parts[at - 1]?.at(-1)
    if (before === undefined) return escaped
    const marked = marks.includes(before) || marks.includes(part.charAt(0))
    return `${marked ? String.raw`\s+` : String.raw`[\s${marks}]+`}${escaped}`
  })
  return new RegExp(source.join(''), 'giu')
}
