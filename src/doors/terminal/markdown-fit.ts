// Which texts may go to the Markdown library. It takes quadratic and cubic time for runs of marks, and recurses for
// each quote and list inside another.

/** Characters of one text. */
const maxChars = 100_000
/** Marks of emphasis and links in one paragraph. */
const maxMarks = 600
/** Quotes and lists that one line opens. */
const maxOpened = 12
/** Columns that a line is indented by. */
const maxIndent = 100

/** Without it, a text is to be shown as it was written. One pass over the lines. */
export function fitsMarkdown(text: string): boolean {
  if (text.length > maxChars) return false
  let marks = 0
  let inTable = false
  for (const line of text.split('\n')) {
    const { indent, opened } = beginningOf(line)
    if (indent > maxIndent || opened > maxOpened) return false
    if (line.trim() === '') inTable = false
    else if (line.includes('|') && /^[ |:-]+$/.test(line)) inTable = true
    // A bullet, a row and a blank line end the paragraph before.
    if (line.trim() === '' || /^ *[-*+] /.test(line) || inTable) marks = 0
    for (const char of line) if ('*_~[]('.includes(char)) marks++
    if (marks > maxMarks) return false
  }
  return true
}

/** How far a line is indented, and how many quotes and lists it opens. */
function beginningOf(line: string): { indent: number; opened: number } {
  const indent = line.length - line.trimStart().length
  let opened = 0
  const mark = /\s*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s))/y
  while (opened <= maxOpened && mark.test(line)) opened++
  return { indent, opened }
}
