import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unifiedDiff } from '#lib/unified-diff.ts'

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\n`).join('')
const body = (before: string, after: string): string =>
  unifiedDiff('f', before, after).text.split('\n').slice(2).join('\n')

test('a change is told with three lines around it', () => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['nothing', 'a\n', 'a\n', ''],
    [
      'in the middle',
      lines(1, 9),
      lines(1, 9).replace('5', 'five'),
      '@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8',
    ],
    ['at the start', 'b\n', 'a\nb\n', '@@ -1,1 +1,2 @@\n+a\n b'],
    ['at the end', 'a\n', 'a\nb\n', '@@ -1,1 +1,2 @@\n a\n+b'],
    ['a repeated line', 'a\na\n', 'a\na\na\n', '@@ -1,2 +1,3 @@\n a\n a\n+a'],
    ['only the last line end', 'a', 'a\n', '@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a'],
    ['all of it', 'a\n', '', '@@ -1,1 +0,0 @@\n-a'],
    ['the start of a line', 'same one\n', 'same two\n', '@@ -1,1 +1,1 @@\n-same one\n+same two'],
    ['the end of a line', 'x same\nz\n', 'y same\nz\n', '@@ -1,2 +1,2 @@\n-x same\n+y same\n z'],
  ]
  for (const [what, before, after, expected] of cases) assert.equal(body(before, after), expected, what)
})

test('carriage returns are left out where every line ends with one, and a last line says so', () => {
  const crlf = '[all lines end in CRLF]'
  assert.equal(body('a\r\nb\r\n', 'a\r\nc\r\n'), `@@ -1,2 +1,2 @@\n a\n-b\n+c\n${crlf}`)
  assert.equal(unifiedDiff('f', undefined, 'a\r\n').text, `--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n${crlf}`)
  assert.equal(body('a\r\n', ''), `@@ -1,1 +0,0 @@\n-a\n${crlf}`)
  assert.equal(body('a\r\n', 'a\r\n'), '')
  assert.match(
    body('1\r\n'.repeat(30_000), '2\r\n'.repeat(30_000)),
    /\[cut: the change goes on\]\n\[all lines end in CRLF\]$/,
  )
})

test('a carriage return that is not in every line end stays in its line', () => {
  assert.equal(body('a\r\nb\r\n', 'a\r\nb\n'), '@@ -1,2 +1,2 @@\n a\r\n-b\r\n+b')
  assert.equal(body('a\n', 'a\r\n'), '@@ -1,1 +1,1 @@\n-a\n+a\r')
  assert.equal(body('a\r\n', 'a\rb\r\n'), '@@ -1,1 +1,1 @@\n-a\n+a\rb\n[all lines end in CRLF]')
  assert.equal(
    body('a\r\n', 'a\r\nb\r'),
    '@@ -1,1 +1,2 @@\n a\n+b\r\n\\ No newline at end of file\n[all lines end in CRLF]',
  )
})

test('changes far from each other are hunks of their own, with their line numbers', () => {
  const after = lines(1, 40).replace('5\n', 'five\n').replace('30\n', '')
  assert.match(
    body(lines(1, 40), after),
    /^@@ -2,7 \+2,7 @@\n[^@]+@@ -27,7 \+27,6 @@\n 27\n 28\n 29\n-30\n 31\n 32\n 33$/,
  )
})

test('it counts all lines of a change, also of one that is cut', () => {
  assert.deepEqual(unifiedDiff('f', 'a\nb\n', 'a\nc\nd\n'), {
    text: '--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d',
    added: 2,
    removed: 1,
    cut: false,
  })
  const { text, ...rest } = unifiedDiff('f', lines(1, 30_000), `${'x\n'.repeat(200_000)}end\n`)
  assert.deepEqual(rest, { added: 200_001, removed: 30_000, cut: true })
  assert.match(text, /^--- f\n\+\+\+ f\n@@ -1,30000 \+1,200001 @@\n-1\n[^+]+\n\[cut: the change goes on\]$/)
  assert(text.length < 20_100)
})

test('a small change of a large text is told exactly', () => {
  const before = `${'\n'.repeat(2_000_000)}a\nb\n${'\n'.repeat(2_000_000)}`
  const { text, added, removed } = unifiedDiff('f', before, before.replace('b', 'c'))
  assert.equal(text, '--- f\n+++ f\n@@ -1999999,7 +1999999,7 @@\n \n \n a\n-b\n+c\n \n \n ')
  assert.deepEqual([added, removed], [1, 1])
})
