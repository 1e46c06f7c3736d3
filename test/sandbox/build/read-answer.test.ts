// The answer of the transpiling process: its files, and what is a fault.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAnswer } from '#sandbox/build/prepare.ts'

test('the files of an answer are cut from its body in their order', () => {
  const files = [
    { name: 'tool.js', size: 2 },
    { name: 'tool.core.wasm', size: 0 },
    { name: 'tool.core12.wasm', size: 3 },
  ]
  const answer = readAnswer({ head: { ok: true, files }, body: Buffer.from('aabbb') })
  const texts = [...answer].map(([name, bytes]) => [name, Buffer.from(bytes).toString()])
  assert.deepEqual(texts, [
    ['tool.js', 'aa'],
    ['tool.core.wasm', ''],
    ['tool.core12.wasm', 'bbb'],
  ])
})

const code = { name: 'tool.js', size: 1 }
type Answered = readonly [what: string, head: unknown, fault: { readonly code?: string; readonly message: string }]
const answers: readonly Answered[] = [
  ['nothing', undefined, { message: 'the transpiler gave no answer' }],
  ['a fault', { ok: false, code: 'not_a_component', message: 'no' }, { code: 'not_a_component', message: 'no' }],
  ['a code that no install has', { ok: false, code: 'crashed', message: 'no' }, { message: 'no' }],
  ['a fault without words', { ok: 'true', code: 7 }, { message: 'the component could not be transpiled' }],
  ['no files', { ok: true }, { message: 'the code is incomplete' }],
  ['files that are no list', { ok: true, files: 5 }, { message: 'the code is incomplete' }],
  ['a file without a size', { ok: true, files: [{ name: 'tool.js' }] }, { message: 'the code is incomplete' }],
  ...['../tool.js', 'tool.js/x', 'about.json', 'tool.core1234.wasm'].map(
    (name) =>
      [`the file ${name}`, { ok: true, files: [code, { name, size: 1 }] }, { message: 'an odd file name' }] as const,
  ),
]
for (const [what, head, fault] of answers) {
  test(`an answer of the transpiler with ${what} is a fault in words`, () => {
    const expected = { name: 'ToolFault', code: 'transpile_failed', ...fault }
    assert.throws(() => readAnswer({ head, body: Buffer.from('ab') }), expected)
  })
}
