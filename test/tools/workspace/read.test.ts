// The text of a file and its lines.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { drained } from '#safety/drained.ts'
import { linesIn, readText } from '#tools/workspace/read.ts'
import { namesOf } from '#tools/workspace/workspace-path.ts'

for (const [text, first, most, lines, total] of [
  ['', 1, 9, [], 0],
  ['a', 1, 9, ['a'], 1],
  ['a\n', 1, 9, ['a'], 1],
  ['a\n\n', 1, 9, ['a', ''], 2],
  ['\n', 1, 9, [''], 1],
  ['a\r\nb\r', 1, 9, ['a', 'b\r'], 2],
  ['\r\nb', 1, 9, ['', 'b'], 2],
  ['\ufeffa\nb', 1, 9, ['a', 'b'], 2],
  ['a\nb\nc\nd', 2, 2, ['b', 'c'], 4],
  ['a\nb\nc\nd', 4, 2, ['d'], 4],
  ['a\nb\nc\nd', 5, 2, [], 4],
  ['a\nb', 1, 0, [], 2],
] as const) {
  test(`lines ${first} and ${most - 1} more of ${JSON.stringify(text)}`, () => {
    assert.deepEqual(drained(linesIn(text, first, most)), { lines, total })
  })
}

test('text is read whole, and what is no UTF-8, has NUL or is too large is refused', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'atrium-read-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const read = (content: string | Buffer) => {
    writeFileSync(join(root, 'a'), content)
    return readText({ root, home: join(root, 'home'), names: ['a'] })
  }
  // A character that lies over the end of a slice.
  const long = `\ufeff${'x'.repeat(256 * 1024 - 4)}漢字`
  for (const text of ['', 'a\n', long]) assert.equal(await read(text), text)
  for (const bytes of [Buffer.from([0xff]), Buffer.from('漢').subarray(0, 2), Buffer.from('a\0b')]) {
    await assert.rejects(read(bytes), {
      code: 'invalid_input',
      message: `a is a binary file of ${bytes.length} bytes, not text`,
    })
  }
  truncateSync(join(root, 'a'), 10 * 1024 * 1024 + 1)
  await assert.rejects(readText({ root, home: join(root, 'home'), names: ['a'] }), { code: 'too_large', param: 'path' })
  await assert.rejects(readText({ root, home: join(root, 'home'), names: [] }), /path must name a file/)
})

for (const [path, names] of [
  ['', []],
  ['.', []],
  ['a', ['a']],
  ['./a//b/', ['a', 'b']],
  ['a/~/..b', ['a', '~', '..b']],
  ['~a', ['~a']],
  [Array(64).fill('x').join('/'), Array(64).fill('x')],
  ['x'.repeat(255), ['x'.repeat(255)]],
  [`${'x/'.repeat(60)}${'x'.repeat(255)}`.padEnd(1_000, '/'), [...Array(60).fill('x'), 'x'.repeat(255)]],
] as const) {
  test(`the path ${path.slice(0, 20)} has ${names.length} names`, () => assert.deepEqual(namesOf(path), names))
}

for (const [path, why] of [
  ['/a', /relative/],
  ['~', /relative/],
  ['~/a', /relative/],
  ['..', /\.\. as a name/],
  ['a/../b', /\.\. as a name/],
  ['a\nb', /control characters/],
  ['a\ud800', /half a character/],
  [Array(65).fill('x').join('/'), /at most 64 names/],
  ['é'.repeat(128), /over 255 bytes/],
  ['x'.padEnd(1_001, '/'), /at most 1000 characters/],
] as const) {
  test(`the path ${JSON.stringify(path.slice(0, 20))} is refused`, () =>
    assert.throws(() => namesOf(path), { code: 'invalid_input', param: 'path', message: why }))
}
