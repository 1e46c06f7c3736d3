// Splitting replies into messages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Piece, splitPlain, splitReply } from '#doors/channel/split.ts'

const text = (words: string): Piece => ({ type: 'text', text: words })
const lines = (count: number, word = 'line'): string =>
  Array.from({ length: count }, (_, at) => `${word} ${at}`).join('\n')

const cases: readonly (readonly [what: string, markdown: string, pieces: readonly Piece[]])[] = [
  ['nothing', ' \n ', []],
  ['a short text', 'hello', [text('hello')]],
  ['behind a paragraph', `${'a'.repeat(30)}\n\n${'b'.repeat(30)}`, [text('a'.repeat(30)), text('b'.repeat(30))]],
  ['behind a line', `${'a'.repeat(30)}\n${'b'.repeat(30)}`, [text('a'.repeat(30)), text('b'.repeat(30))]],
  ['behind a word', `${'a'.repeat(30)} ${'b'.repeat(30)}`, [text('a'.repeat(30)), text('b'.repeat(30))]],
  ['a word that is too long', 'x'.repeat(90), [text('x'.repeat(40)), text('x'.repeat(40)), text('x'.repeat(10))]],
  ['not within a character', `${'x'.repeat(39)}🙂y`, [text('x'.repeat(39)), text('🙂y')]],
  [
    'code stays whole',
    `${'a'.repeat(30)}\n\`\`\`\ncode\ncode\n\`\`\``,
    [text('a'.repeat(30)), text('```\ncode\ncode\n```')],
  ],
  [
    'words behind code do not cut it',
    `\`\`\`\n${'c'.repeat(25)}\n\`\`\`\n${'d'.repeat(30)}`,
    [text(`\`\`\`\n${'c'.repeat(25)}\n\`\`\``), text('d'.repeat(30))],
  ],
  [
    'long code is a file that is named before it',
    `See:\n\`\`\`python\n${lines(9)}\n\`\`\`\nThat is it.`,
    [text('See:\n[code-1.py]'), { type: 'file', name: 'code-1.py', text: lines(9) }, text('That is it.')],
  ],
  [
    'code that just fits stays in the text',
    `\`\`\`\n${'c'.repeat(32)}\n\`\`\``,
    [text(`\`\`\`\n${'c'.repeat(32)}\n\`\`\``)],
  ],
  [
    'the end of a name is that of its language',
    `\`\`\`Rb\n${lines(9)}\n\`\`\``,
    [text('[code-1.rb]'), { type: 'file', name: 'code-1.rb', text: lines(9) }],
  ],
  [
    'a file alone has a text before it',
    `~~~\n${lines(9)}\n~~~`,
    [text('[code-1.txt]'), { type: 'file', name: 'code-1.txt', text: lines(9) }],
  ],
  [
    'a fence that is still open',
    `\`\`\`ts\n${lines(9)}`,
    [text('[code-1.ts]'), { type: 'file', name: 'code-1.ts', text: lines(9) }],
  ],
  [
    'a language that nobody knows',
    `\`\`\`constructor\n${lines(9)}`,
    [text('[code-1.txt]'), { type: 'file', name: 'code-1.txt', text: lines(9) }],
  ],
]

for (const [what, markdown, pieces] of cases) {
  test(`a reply is split: ${what}`, () => assert.deepEqual(splitReply(markdown, 40), pieces))
}

test('where a text is cut does not change as it grows, and no word is lost', () => {
  const words = Array.from(
    { length: 400 },
    (_, at) => `w${at}${at % 7 === 0 ? '\n\n' : at % 5 === 0 ? '\n' : ' '}`,
  ).join('')
  let before: Piece[] = []
  for (let at = 1; at <= words.length; at += 3) {
    const pieces = splitReply(words.slice(0, at), 100)
    assert.deepEqual(pieces.slice(0, Math.max(0, before.length - 1)), before.slice(0, -1))
    assert.ok(pieces.every((piece) => piece.text.length <= 100))
    before = pieces
  }
  const all = splitReply(words, 100).map((piece) => piece.text)
  assert.deepEqual(all.join(' ').match(/w\d+/g), words.match(/w\d+/g))
})

test('a plain text is split as it is, and nothing of it is lost', () => {
  const source = lines(60)
  const parts = splitPlain(source, 100)
  assert.ok(parts.every((part) => part.length <= 100))
  assert.equal(parts.map((part) => part.trimEnd()).join('\n'), source)
  assert.deepEqual(splitPlain('short', 100), ['short'])
})

test('a long blank in a plain text is counted, and no message is blank', () => {
  assert.deepEqual(splitPlain(`a${' '.repeat(300)}b`, 100), ['a [300 spaces] b'])
  assert.deepEqual(splitPlain(`a${'\n '.repeat(150)}b`, 100), ['a [300 blank characters] b'])
  assert.deepEqual(splitPlain(`a${' '.repeat(25)}b`, 100), [`a${' '.repeat(25)}b`])
  const parts = splitPlain(`a${`${' '.repeat(200)}b`.repeat(50)}`, 4_096)
  assert.ok(parts.every((part) => part.trim() !== '' && part.length <= 4_096))
})

test('a long hostile text takes no longer than its length', () => {
  for (const part of ['`', '```\n', '\n', ' ', '[', '~~~ x\n']) splitReply(part.repeat(200_000 / part.length), 4_096)
  assert.equal(splitReply(`${'~'.repeat(200_000)}\``, 4_096).length, 49)
})
