// Wraps a plain text that grows: its lines but the last are wrapped once, however long it is. They have no spaces at their
// ends, as those of Markdown.
import { wrapTextWithAnsi } from '@earendil-works/pi-tui'

/** The text must not contain ANSI styles. What is known of another text, or of another width, is forgotten. */
export function createGrowingWrap(wrap = wrapTextWithAnsi): (text: string, width: number) => string[] {
  let width = 0
  /** The part of the text whose lines are known. */
  let done = ''
  let known: string[] = []
  return (text, newWidth) => {
    if (width !== newWidth || !text.startsWith(done)) [width, done, known] = [newWidth, '', []]
    const lines = wrap(text.slice(done.length), width).map((line) => line.trimEnd())
    // More text may change the last line, and an empty one does not say where it begins.
    const open = lines.findLastIndex((line, at) => line !== '' && at < lines.length - 1)
    if (open <= 0) return [...known, ...lines]
    let end = done.length
    for (const line of lines.slice(0, open)) end = text.indexOf(line, end) + line.length
    done = text.slice(0, text.indexOf(lines[open] ?? '', end))
    known = known.concat(lines.slice(0, open))
    return [...known, ...lines.slice(open)]
  }
}
