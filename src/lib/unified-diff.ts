// A change of a text as a person reads it: a unified diff, bounded.

const context = 3
const defaultMaxPairs = 4_000_000
const maxDiffChars = 20_000

type Line = { readonly sign: ' ' | '-' | '+'; readonly text: string }

/**
 * The diff from one text to another; `before` is undefined for a new file. Empty when nothing changes. Beyond `maxPairs` of
 * lines the changed part is told as a whole: out with the old, in with the new.
 */
export function unifiedDiff(
  path: string,
  before: string | undefined,
  after: string,
  maxPairs: number = defaultMaxPairs,
): string {
  const hunks = hunksOf(compared(linesOf(before ?? ''), linesOf(after), maxPairs))
  if (hunks.length === 0 && before !== undefined) return ''
  const whole = [`--- ${before === undefined ? '/dev/null' : path}`, `+++ ${path}`, ...hunks].join('\n')
  if (whole.length <= maxDiffChars) return whole
  return `${whole.slice(0, maxDiffChars).toWellFormed()}\n[cut: ${whole.length - maxDiffChars} more characters]`
}

/** How many lines a unified diff adds and removes. */
export function countChanges(diff: string): { added: number; removed: number } {
  // The first two lines name the files.
  const signs = diff
    .split('\n')
    .slice(2)
    .map((line) => line[0])
  return { added: signs.filter((sign) => sign === '+').length, removed: signs.filter((sign) => sign === '-').length }
}

/** Lines with what ends them, so that a change of the ending alone is one too. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function compared(before: readonly string[], after: readonly string[], maxPairs: number): Line[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  const most = Math.min(before.length, after.length) - start
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end++
  const old = before.slice(start, before.length - end)
  const made = after.slice(start, after.length - end)
  const same = (lines: readonly string[]): Line[] => lines.map((text) => ({ sign: ' ', text }))
  return [...same(before.slice(0, start)), ...changed(old, made, maxPairs), ...same(before.slice(before.length - end))]
}

/** By the longest common subsequence of the lines. */
function changed(old: readonly string[], made: readonly string[], maxPairs: number): Line[] {
  const lines: Line[] = []
  const width = made.length + 1
  if (old.length * made.length > maxPairs) {
    return [...old.map((text) => ({ sign: '-' as const, text })), ...made.map((text) => ({ sign: '+' as const, text }))]
  }
  const common = new Uint32Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = made.length - 1; j >= 0; j--) {
      const [down, right] = [common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0]
      common[i * width + j] = old[i] === made[j] ? (common[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(down, right)
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

  function at(row: number, column: number): number {
    return common[row * width + column] ?? 0
  }
}

function hunksOf(lines: readonly Line[]): string[] {
  const hunks: string[] = []
  let [old, made] = [1, 1]
  for (let at = 0; at < lines.length; ) {
    const first = lines.findIndex(({ sign }, index) => index >= at && sign !== ' ')
    if (first < 0) break
    const start = Math.max(at, first - context)
    let last = first
    for (let next = first; next < lines.length && next - last <= 2 * context; next++) {
      if (lines[next]?.sign !== ' ') last = next
    }
    const end = Math.min(lines.length, last + context + 1)
    old += start - at
    made += start - at
    const part = lines.slice(start, end)
    const [outs, ins] = [part.filter(({ sign }) => sign !== '+').length, part.filter(({ sign }) => sign !== '-').length]
    hunks.push(
      `@@ -${outs === 0 ? old - 1 : old},${outs} +${ins === 0 ? made - 1 : made},${ins} @@`,
      ...part.map(shown),
    )
    old += outs
    made += ins
    at = end
  }
  return hunks
}

function shown({ sign, text }: Line): string {
  return text.endsWith('\n') ? sign + text.slice(0, -1) : `${sign}${text}\n\\ No newline at end of file`
}
