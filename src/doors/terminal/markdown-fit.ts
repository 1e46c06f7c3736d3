// Which texts may go to the Markdown library. It takes quadratic and cubic time for runs of marks and for marks that are
// never closed, and recurses for each quote and list inside another.

/** Characters of one text. */
const maxChars = 100_000
/** Marks in one paragraph. */
const maxMarks = 600
/** Pairs of marks in the same paragraph, over all paragraphs: each mark may be compared with each. */
const maxPairs = 1_500_000
/** Boxes of tasks: the library searches all of a list again for each. */
const maxTasks = 2_000
/** Quotes and lists that one line opens. */
const maxOpened = 12
/** Columns that a line is indented by. */
const maxIndent = 100
/** Columns from a bullet to one that may be inside its item. Further right, it is text of the same paragraph. */
const maxNesting = 5

/** Emphasis, links, code, HTML, mail addresses and escapes: each may look for its end. */
const marks = /[*_~[\]()`<!@\\]/g
const delimiterRow = /^ {0,3}\|(?: *:?-+:? *\|)+ *$/

/** Without it, a text is to be shown as it was written. One pass over the lines. */
export function fitsMarkdown(text: string): boolean {
  if (text.length > maxChars) return false
  let inParagraph = 0
  let pairs = 0
  let tasks = 0
  let inTable = false
  let before = ''
  /** The column of the last bullet; without one, a bullet may be indented by 3. */
  let bullet = 3 - maxNesting
  for (const line of text.split('\n')) {
    const { indent, opened } = beginningOf(line)
    if (indent > maxIndent || opened > maxOpened) return false
    const blank = line.trim() === ''
    const isBullet = /^ *[-*+] /.test(line) && indent <= bullet + maxNesting
    if (isBullet) bullet = indent
    else if (!blank && indent === 0) bullet = 3 - maxNesting
    inTable = /^ {0,3}\|/.test(line) && (inTable || isDelimiter(line, before))
    // A bullet, a row and a blank line end the paragraph before.
    if (blank || isBullet || inTable) inParagraph = 0
    const inParagraphBefore = inParagraph
    inParagraph += line.match(marks)?.length ?? 0
    // For each of these, the library looks for a table down to the end of the paragraph.
    if (!inTable && line.includes('|') && /^[ |:-]+$/.test(line)) inParagraph++
    pairs += inParagraph ** 2 - inParagraphBefore ** 2
    if (/\[[ xX]\]/.test(line)) tasks++
    if (inParagraph > maxMarks || pairs > maxPairs || tasks > maxTasks) return false
    before = line
  }
  return true
}

/** True for the second line of a table: it has as many cells as the line before. */
function isDelimiter(line: string, before: string): boolean {
  const header = before.trim()
  const isHeader = header.startsWith('|') && header.endsWith('|') && !header.includes('\\')
  return isHeader && delimiterRow.test(line) && header.split('|').length === line.split('|').length
}

/** How far a line is indented, and how many quotes and lists it opens. */
function beginningOf(line: string): { indent: number; opened: number } {
  const indent = line.length - line.trimStart().length
  let opened = 0
  const mark = /\s*(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s))/y
  while (opened <= maxOpened && mark.test(line)) opened++
  return { indent, opened }
}
