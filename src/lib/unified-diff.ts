// A change of a text as a person reads it: a unified diff, bounded. Linear in the texts: only the part that changed is split
// into lines, and only so much of it is compared line by line.

const context = 3
const defaultMaxPairs = 1_000_000
const maxDiffChars = 20_000
/** A longer changed part is told as a whole, like one with too many lines. */
const maxComparedChars = 200_000

export type Diff = {
  /** Empty if nothing changes. */
  readonly text: string
  readonly added: number
  readonly removed: number
  /** True if the text ends before the change does. */
  readonly cut: boolean
}

type Line = { readonly sign: ' ' | '-' | '+'; readonly text: string }
/** Lines of a change in their order, and the number of the first one. */
type Part = {
  readonly lines: readonly Line[]
  readonly first: number
  readonly added: number
  readonly removed: number
}

/**
 * The diff from one text to another; `before` is undefined for a new file. Beyond `maxPairs` of lines the changed part is
 * told as a whole: out with the old, in with the new. Where every line ends in CRLF, before and after, a last line says so
 * and the carriage returns are left out; where only some do, the lines have theirs.
 */
export function unifiedDiff(
  path: string,
  before: string | undefined,
  after: string,
  maxPairs: number = defaultMaxPairs,
): Diff {
  const isCrlf = endsInCrlf(before || after) && endsInCrlf(after || before || '')
  const plain = (text: string): string => (isCrlf ? text.replaceAll('\r\n', '\n') : text)
  const { lines, first, added, removed } = changedPart(plain(before ?? ''), plain(after), maxPairs)
  const hunks = hunksOf(lines, first, { added, removed })
  if (hunks.length === 0 && before !== undefined) return { text: '', added: 0, removed: 0, cut: false }
  const whole = [`--- ${before === undefined ? '/dev/null' : path}`, `+++ ${path}`, ...hunks].join('\n')
  const told = lines.filter(({ sign }) => sign !== ' ').length
  const cut = whole.length > maxDiffChars || told < added + removed
  const text = cut ? `${whole.slice(0, maxDiffChars).toWellFormed()}\n[cut: the change goes on]` : whole
  return { text: isCrlf ? `${text}\n[all lines end in CRLF]` : text, added, removed, cut }
}

function endsInCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(?<!\r)\n/.test(text)
}

/** The lines that differ, with up to three equal ones on both sides. */
function changedPart(before: string, after: string, maxPairs: number): Part {
  const start = sharedStart(before, after)
  const shared = sharedEnd(before.slice(start), after.slice(start))
  const [oldEnd, newEnd] = [before.length - shared, after.length - shared]
  const head = linesBack(before, start)
  const tail = linesOf(before.slice(oldEnd), context)
  const [old, made] = [before.slice(start, oldEnd), after.slice(start, newEnd)]
  const changed = compared(old, made, maxPairs)
  const same = (lines: readonly string[]): Line[] => lines.map((text) => ({ sign: ' ', text }))
  return {
    ...changed,
    lines: [...same(head), ...changed.lines, ...same(tail)],
    first: countLines(before.slice(0, start)) - head.length + 1,
  }
}

/** The length of the equal lines at the start of two texts. */
function sharedStart(a: string, b: string): number {
  const chars = sharedChars(Math.min(a.length, b.length), (from, to) => a.slice(from, to) === b.slice(from, to))
  return chars === a.length && chars === b.length ? chars : lineStart(a, chars)
}

/** The length of the equal lines at the end of two texts. */
function sharedEnd(a: string, b: string): number {
  const chars = sharedChars(
    Math.min(a.length, b.length),
    (from, to) => a.slice(a.length - to, a.length - from) === b.slice(b.length - to, b.length - from),
  )
  if (startsLine(a, a.length - chars) && startsLine(b, b.length - chars)) return chars
  const end = a.indexOf('\n', a.length - chars)
  return end < 0 ? 0 : a.length - end - 1
}

/** How many characters are equal, by halving: each step compares half as many as the step before. */
function sharedChars(most: number, areEqual: (from: number, to: number) => boolean): number {
  let [from, to] = [0, most]
  while (from < to) {
    const middle = Math.ceil((from + to) / 2)
    if (areEqual(from, middle)) from = middle
    else to = middle - 1
  }
  return from
}

function startsLine(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === '\n'
}

/** Where the line with the character before `at` begins, if the line goes on there; else `at`. */
function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}

/** The last lines before a position that starts a line. */
function linesBack(text: string, end: number): string[] {
  let start = end
  for (let count = 0; count < context && start > 0; count++)
    start = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1
  return linesOf(text.slice(start, end))
}

/** Lines with what ends them, so that a change of the ending alone is one too. */
function linesOf(text: string, most = Infinity): string[] {
  const lines: string[] = []
  for (let at = 0; at < text.length && lines.length < most; ) {
    const end = text.indexOf('\n', at)
    const next = end < 0 ? text.length : end + 1
    lines.push(text.slice(at, next))
    at = next
  }
  return lines
}

function countLines(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === 10) count++
  return text === '' || text.endsWith('\n') ? count : count + 1
}

/** Large parts are told as a whole, and of those no more than is shown. */
function compared(old: string, made: string, maxPairs: number): Omit<Part, 'first'> {
  const [removed, added] = [countLines(old), countLines(made)]
  if (removed * added > maxPairs || old.length + made.length > maxComparedChars) {
    const shownOf = (text: string, sign: Line['sign']): Line[] =>
      linesOf(text.slice(0, maxDiffChars)).map((line) => ({ sign, text: line }))
    return { lines: [...shownOf(old, '-'), ...shownOf(made, '+')], added, removed }
  }
  const lines = byCommonLines(linesOf(old), linesOf(made))
  const count = (sign: Line['sign']): number => lines.filter((line) => line.sign === sign).length
  return { lines, added: count('+'), removed: count('-') }
}

/** By the longest common subsequence of the lines. */
function byCommonLines(old: readonly string[], made: readonly string[]): Line[] {
  const lines: Line[] = []
  const width = made.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  const at = (row: number, column: number): number => common[row * width + column] ?? 0
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = made.length - 1; j >= 0; j--) {
      common[i * width + j] = old[i] === made[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  let [i, j] = [0, 0]
  while (i < old.length || j < made.length) {
    if (i < old.length && j < made.length && old[i] === made[j]) {
      lines.push({ sign: ' ', text: old[i++] as string })
      j++
    } else if (j >= made.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', text: old[i++] as string })
    } else lines.push({ sign: '+', text: made[j++] as string })
  }
  return lines
}

/** `all`: what the change adds and removes, where only a part of its lines is given. */
function hunksOf(lines: readonly Line[], first: number, all: { added: number; removed: number }): string[] {
  const hunks: string[] = []
  const missing = {
    '+': all.added - lines.filter(({ sign }) => sign === '+').length,
    '-': all.removed - lines.filter(({ sign }) => sign === '-').length,
  }
  let [old, made, at] = [first, first, 0]
  for (;;) {
    let begin = at
    while (begin < lines.length && lines[begin]?.sign === ' ') begin++
    if (begin === lines.length) return hunks
    const start = Math.max(at, begin - context)
    let last = begin
    for (let next = begin; next < lines.length && next - last <= 2 * context; next++) {
      if (lines[next]?.sign !== ' ') last = next
    }
    const end = Math.min(lines.length, last + context + 1)
    old += start - at
    made += start - at
    const part = lines.slice(start, end)
    const outs = part.filter(({ sign }) => sign !== '+').length + missing['-']
    const ins = part.filter(({ sign }) => sign !== '-').length + missing['+']
    hunks.push(
      `@@ -${outs === 0 ? old - 1 : old},${outs} +${ins === 0 ? made - 1 : made},${ins} @@`,
      ...part.map(shown),
    )
    old += outs
    made += ins
    at = end
  }
}

function shown({ sign, text }: Line): string {
  return text.endsWith('\n') ? sign + text.slice(0, -1) : `${sign}${text}\n\\ No newline at end of file`
}
