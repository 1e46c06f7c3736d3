// What an approval shows of a diff, a request and arguments.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diffLines, formatArgs, isNewFile, missionText, requestRest } from '../../../web/lib/preview.ts'

test('the lines of a diff have the numbers of their files', () => {
  const diff = [
    '--- a/x',
    '+++ b/x',
    '@@ -3,4 +5,4 @@',
    ' same',
    '-old',
    '-older',
    '+new',
    ' end',
    '@@ -20 +30,2 @@ function',
    ' far',
    '+added',
    ' last',
    '-gone',
    '\\ No newline at end of file',
  ].join('\n')
  assert.deepEqual(
    diffLines(diff).map(({ sign, at, text }) => [sign, at, text]),
    [
      [' ', 5, 'same'],
      ['-', 4, 'old'],
      ['-', 5, 'older'],
      ['+', 6, 'new'],
      [' ', 7, 'end'],
      ['@', undefined, ''],
      [' ', 30, 'far'],
      ['+', 31, 'added'],
      [' ', 32, 'last'],
      ['-', 22, 'gone'],
      ['@', undefined, '\\ No newline at end of file'],
    ],
  )
  assert.deepEqual(diffLines('--- a\n+++ b\n+x'), [{ sign: '+', at: 0, text: 'x' }])
})

test('a file that is made is told from one that is changed', () => {
  assert.equal(isNewFile('--- /dev/null\n+++ b/x'), true)
  assert.equal(isNewFile('--- a/x\n+++ /dev/null\n'), false)
})

test('a mission shows what it may use and spend, then its prompt', () => {
  const mission = { type: 'mission', schedule: 'S', prompt: 'P\nTools: all', tools: [] as string[] } as const
  assert.equal(missionText(mission), 'Tools: none\n\nP\nTools: all')
  const { tools: _, ...wide } = mission
  assert.equal(
    missionText({ ...wide, title: 'A\nB', status: 'paused', cap_usd: 0.5 }),
    'Title: A\\u{a}B\nStatus: paused\nTools: all\nCost: at most $0.50 a run\n\nP\nTools: all',
  )
  assert.match(missionText({ ...mission, tools: ['time', 'x'] }), /^Tools: time, x\n/)
})

test('a request shows its headers, then its body', () => {
  const request = { type: 'request', method: 'POST', url: 'https://x' } as never
  const rest = (more: object) => requestRest(Object.assign({}, request, more))
  assert.equal(rest({ headers: { a: '1', b: '2' }, body: '{}' }), 'a: 1\nb: 2\n\n{}')
  assert.equal(rest({ body: '{}' }), '{}')
  assert.equal(rest({ headers: { a: '1' } }), 'a: 1')
  assert.equal(rest({}), '')
})

test('short arguments are on one line, long ones on several, a text stays as it is', () => {
  assert.equal(formatArgs({ a: 1, b: [2] }), '{ "a": 1, "b": [ 2 ] }')
  assert.equal(formatArgs('a\n  b'), 'a\n  b')
  // { "a": "" } has 11 characters.
  assert.equal(formatArgs({ a: 'x'.repeat(49) }).includes('\n'), false)
  assert.equal(formatArgs({ a: 'x'.repeat(50) }), `{\n  "a": "${'x'.repeat(50)}"\n}`)
})

test('characters that hide or turn text are shown as their numbers', () => {
  assert.deepEqual(diffLines('--- a\n+++ b\n+\ta\u202eb'), [{ sign: '+', at: 0, text: '\ta\\u{202e}b' }])
  const request = { type: 'request', method: 'POST', url: 'https://x' } as const
  assert.equal(
    requestRest({ ...request, headers: { a: '\u2066' }, body: 'b\u200b\nc' }),
    'a: \\u{2066}\n\nb\\u{200b}\nc',
  )
  assert.equal(formatArgs({ 'a\u200f': 'b\u202e' }), '{ "a\\u{200f}": "b\\u{202e}" }')
  assert.equal(formatArgs('a\u202e\nb'), 'a\\u{202e}\nb')
})
