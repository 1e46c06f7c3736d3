// Paths and contents that a document can have.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkContent, checkPath, folderPrefix } from '#memory/document-path.ts'

for (const path of ['a', 'notes/today.md', '💡'.repeat(200), 'a b/c', '.hidden', '...', 'a/..b']) {
  test(`${path.slice(0, 20)} is a path`, () => assert.equal(checkPath(path), path))
}

const refused: readonly [path: string, why: RegExp][] = [
  ['', /1 to 200 characters/],
  ['x'.repeat(201), /1 to 200 characters/],
  ['a\nb', /control characters/],
  ['a\u0085', /control characters/],
  ['a\ud800', /half a character/],
  ['/a', /relative/],
  ['a//b', /empty name/],
  ['a/', /empty name/],
  ['.', /\. or \.\./],
  ['a/../b', /\. or \.\./],
]
for (const [path, why] of refused) {
  test(`${JSON.stringify(path).slice(0, 20)} is no path`, () => {
    assert.throws(() => checkPath(path), { code: 'invalid_input', param: 'path', message: why })
  })
}

test('a folder is named with or without its slash; the root is none', () => {
  assert.deepEqual(['notes', 'notes/', 'a/b', '', '/', '.'].map(folderPrefix), ['notes/', 'notes/', 'a/b/', '', '', ''])
  for (const folder of ['../a', '/a', 'a//']) {
    assert.throws(() => folderPrefix(folder), { code: 'invalid_input', param: 'folder' })
  }
})

test('a content has a mebibyte of whole characters', () => {
  const mib = 1024 * 1024
  assert.deepEqual([checkContent(''), checkContent('ä'), checkContent('x'.repeat(mib))], [0, 2, mib])
  assert.throws(() => checkContent('x'.repeat(mib + 1)), { code: 'too_large', param: 'content' })
  assert.throws(() => checkContent(`${'ä'.repeat(mib / 2)}x`), { code: 'too_large' })
  for (const content of ['a\0', 'a\ud800']) {
    assert.throws(() => checkContent(content), { code: 'invalid_input', param: 'content' })
  }
})
