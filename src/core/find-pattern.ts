// The words that are looked for in one thread, as the browser's own search takes them: a part of the text, in upper or lower
// case. The gateway counts with it, the page marks with it. Imports nothing: the page loads it.

/** The longest words that are looked for. */
export const maxFindChars = 200

/** What matches the words anywhere in a text; undefined if there are none. Marks of Markdown may stand between two words. */
export function findPattern(words: string): RegExp | undefined {
  const parts = words.trim().slice(0, maxFindChars).split(/\s+/)
  if (parts[0] === '') return undefined
  const escaped = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
  return new RegExp(escaped.join('[\\s*_`]+'), 'giu')
}
