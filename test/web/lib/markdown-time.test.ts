// The work of reading Markdown grows with the length of the text, whatever it holds: eight times the text may take no
// more than three times eight times the time. What is quadratic takes 64 times as long.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMarkdown } from '../../../web/lib/markdown.ts'

const longChars = 200_000
const shortChars = longChars / 8
const maxGrowth = 24
/** Times below this one are noise. */
const noiseMs = 3
const tries = 4

const repeated: Readonly<Record<string, readonly string[]>> = {
  emphasis: ['*a ', '_a', 'a**b', '_a*b_', '*.', '**_a', '[*a'],
  links: ['[', '[]', '[a](<b', '[a](b "', '[a](((', '![a](', '[a]['],
  definitions: ['[a]: <b\n', '[^1]: a\n'],
  autolinks: ['<http://a', 'http://a(', 'http://a:', 'a.b-c_', 'a@'],
  code: ['`a ', '`a``b```c', '```\n', '- ```\n'],
  html: ['<', '<!--', '<a b="', '&'],
  math: ['\\[', '\\(', '$a', '$$\n', '\\[\n', '$$ a\n'],
  tables: ['|', '|a|\n|-|\n', '|a|b\n'],
  lists: ['- ', '- a\n', '1. ', '- a\n  - b\n', '- a\nb\n'],
  quotes: ['>', '> a\nb\n', '> - '],
  lines: ['a\n', 'a\n=\n', 'a  \n', '\n', '- - '],
}

const built: Readonly<Record<string, (length: number) => string>> = {
  'brackets inside one another': (length) => '['.repeat(length / 2) + ']'.repeat(length / 2),
  'labels inside one another': (length) => `[a]: http://b\n\n${'[a'.repeat(length / 4)}${']'.repeat(length / 2)}`,
  'emphasis inside emphasis': (length) => '*a _b '.repeat(length / 12) + 'b_ a* '.repeat(length / 12),
  'code by ever longer runs': (length) => rising(length, (at) => `${'`'.repeat(at)} `),
  'lists ever deeper': (length) => rising(length, (at) => `${' '.repeat(at * 2)}- a\n`),
  'formulas with one end': (length) => `${'\\[\n'.repeat(length / 3)}\\]\n`,
  'a table of many columns': (length) => `${'|a'.repeat(length / 4)}\n${'|-'.repeat(length / 4)}`,
  'short rows below a wide head': (length) => `${'|a'.repeat(60)}\n${'|-'.repeat(60)}\n${'|\n'.repeat(length / 2)}`,
}

function rising(length: number, line: (at: number) => string): string {
  const lines: string[] = []
  for (let at = 1, sum = 0; sum < length; at++) sum += lines.push(line(at)) && line(at).length
  return lines.join('')
}

for (const [construct, units] of Object.entries(repeated)) {
  test(`${construct} without end are read in linear time`, () => {
    for (const unit of units) staysLinear(JSON.stringify(unit), (length) => unit.repeat(length / unit.length))
  })
}

test('texts that are built to be slow are read in linear time', () => {
  for (const [name, build] of Object.entries(built)) staysLinear(name, build)
})

test('a list that streams in below a long line is read in linear time', () => {
  const again = (text: string): unknown => readMarkdown(`${text}d`, readMarkdown(text))
  for (const end of ['\r', '\u2028']) {
    staysLinear(JSON.stringify(end), (length) => `a\n\na${end.repeat(length)}a\n- b\n- c\n- `, again)
  }
})

function staysLinear(
  name: string,
  build: (length: number) => string,
  read: (text: string) => unknown = readMarkdown,
): void {
  const [short, long] = [build(shortChars), build(longChars)]
  let growth = Infinity
  // The first measure may include compiling and collecting garbage.
  for (let round = 0; round < tries && growth > maxGrowth; round++) {
    const base = Math.max(noiseMs, workOf(short, read))
    growth = Math.min(growth, workOf(long, read) / base)
  }
  assert(growth <= maxGrowth, `${name}: 8 times the text took ${growth.toFixed()} times the work`)
}

/** The processor's time, in ms: it does not count what other processes do. */
function workOf(text: string, read: (text: string) => unknown): number {
  const before = process.cpuUsage()
  read(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
