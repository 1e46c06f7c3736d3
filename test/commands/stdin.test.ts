import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { readInput } from '#commands/stdin.ts'

/** Reads chunks as standard input. */
function read(t: TestContext, ...chunks: readonly Buffer[]): Promise<string> {
  const before = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor
  t.after(() => Object.defineProperty(process, 'stdin', before))
  Object.defineProperty(process, 'stdin', { value: Readable.from(chunks), configurable: true })
  return readInput(10, 'too much')
}

test('a letter that two chunks share is read whole, and a mark at the start stays', async (t) => {
  const text = Buffer.from('\uFEFFgrün')
  assert.equal(await read(t, text.subarray(0, 6), text.subarray(6)), '\uFEFFgrün')
})

test('more than the most is refused', async (t) => {
  assert.equal(await read(t, Buffer.from('x'.repeat(10))), 'x'.repeat(10))
  await assert.rejects(read(t, Buffer.from('x'.repeat(11))), { code: 'too_large', message: 'too much' })
})

for (const [what, bytes] of [
  ['a PDF', Buffer.from('%PDF-1\n%\xe2\xe3', 'latin1')],
  ['a text that ends within a letter', Buffer.from('grün').subarray(0, 3)],
] as const) {
  test(`${what} is refused as no text`, async (t) => {
    await assert.rejects(read(t, bytes), { code: 'invalid_input', message: /not UTF-8 text: .*by its path/ })
  })
}
