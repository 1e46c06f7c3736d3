// A search over a real folder, without its worker: what is found, how it is shown, and what is left out.
import assert from 'node:assert/strict'
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { search } from '#tools/workspace/search.ts'

function open(t: TestContext, files: Readonly<Record<string, string | Buffer>>) {
  const base = mkdtempSync(join(tmpdir(), 'atrium-search-'))
  t.after(() => rmSync(base, { recursive: true, force: true }))
  const [root, home] = [join(base, 'work'), join(base, 'home')]
  mkdirSync(root)
  mkdirSync(home)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const find = (pattern: string, { names = [], glob }: { names?: readonly string[]; glob?: string } = {}) =>
    search({ root, home, names, pattern, ...(glob !== undefined && { glob }) })
  /** The files with a match, in the order that they are told. */
  const filesWith = async (pattern: string, over = {}) =>
    (await find(pattern, over)).split('\n\n').map((part) => part.split('\n', 1)[0])
  return { root, home, find, filesWith }
}

test('files come in the order of their names, folders among them, without those of other programs', async (t) => {
  const { filesWith } = open(t, {
    'b.txt': 'tea',
    'a/z.txt': 'tea',
    'a/deep/er/y.txt': 'tea',
    'c.txt': 'tea',
    '.git/x': 'tea',
    'node_modules/x': 'tea',
    '.venv/x': 'tea',
    '__pycache__/x': 'tea',
    'a/node_modules/x': 'tea',
    '.hidden': 'tea',
  })
  assert.deepEqual(await filesWith('tea'), ['.hidden', 'a/deep/er/y.txt', 'a/z.txt', 'b.txt', 'c.txt'])
  assert.deepEqual(await filesWith('tea', { names: ['a'] }), ['a/deep/er/y.txt', 'a/z.txt'])
  assert.deepEqual(await filesWith('tea', { names: ['a', 'deep'] }), ['a/deep/er/y.txt'])
})

test('a glob is matched with the name, or with the path if it has a slash', async (t) => {
  const { filesWith } = open(t, { 'a.ts': 'x', 'a.md': 'x', 'd/b.ts': 'x', 'd/e/c.ts': 'x' })
  for (const [glob, found] of [
    ['*.ts', ['a.ts', 'd/b.ts', 'd/e/c.ts']],
    ['d/*.ts', ['d/b.ts']],
    ['d/**/*.ts', ['d/b.ts', 'd/e/c.ts']],
    ['*.js', ['Nothing matches.']],
  ] as const)
    assert.deepEqual(await filesWith('x', { glob }), found, glob)
})

test('a match is shown with two lines around it, and what is left out between two', async (t) => {
  const lines = (count: number, hits: readonly number[]) =>
    Array.from({ length: count }, (_, at) => (hits.includes(at + 1) ? 'hit' : `l${at + 1}`)).join('\n')
  const { find } = open(t, {
    'first.txt': lines(4, [1]),
    'near.txt': lines(9, [2, 7]),
    'far.txt': `\ufeff${lines(9, [1, 7])}\r\n`,
  })
  assert.equal(
    await find('^hit$'),
    [
      'far.txt\n     1: hit\n     2  l2\n     3  l3\n  …\n     5  l5\n     6  l6\n     7: hit\n     8  l8\n     9  l9',
      'first.txt\n     1: hit\n     2  l2\n     3  l3',
      'near.txt\n     1  l1\n     2: hit\n     3  l3\n     4  l4\n     5  l5\n     6  l6\n     7: hit\n     8  l8\n     9  l9',
    ].join('\n\n'),
  )
})

test('a long line is cut, case counts unless it is told not to, and an empty last line is none', async (t) => {
  const { find } = open(t, { 'a.txt': `Tea${'x'.repeat(297)}\ntea${'y'.repeat(298)}\n` })
  assert.equal(await find('Tea'), `a.txt\n     1: Tea${'x'.repeat(297)}\n     2  tea${'y'.repeat(297)}…`)
  assert.equal((await find('(?i)TEA')).match(/\d:/g)?.length, 2)
  assert.equal(await find('^$'), 'Nothing matches.')
  await assert.rejects(find('('), { code: 'invalid_input', param: 'pattern' })
})

test('100 matches are told, over all files', async (t) => {
  const { find } = open(t, { 'a.txt': 'hit\n'.repeat(60), 'b.txt': 'hit\n'.repeat(60), 'c.txt': 'hit\n' })
  const found = await find('hit')
  assert.equal(found.match(/: hit/g)?.length, 100)
  assert.match(found, /^a\.txt\n[^]*\n\nb\.txt\n[^]*\n\n\[there may be more: [^\n]*\]$/)
  const { find: few } = open(t, { 'a.txt': 'hit\n'.repeat(99) })
  assert.doesNotMatch(await few('hit'), /there may be more/)
})

test('binary and large files, links, and other names of the service’s own files are left out', async (t) => {
  const { root, home, find, filesWith } = open(t, { 'a.txt': 'hit', 'b.bin': Buffer.from('hit\0'), 'c.txt': 'hit' })
  truncateSync(join(root, 'c.txt'), 2 * 1024 * 1024 + 1)
  writeFileSync(join(root, 'd.txt'), `hit${' '.repeat(2 * 1024 * 1024 - 3)}`)
  writeFileSync(join(home, 'key'), 'hit')
  linkSync(join(home, 'key'), join(root, 'e.txt'))
  linkSync(join(root, 'a.txt'), join(root, 'f.txt'))
  symlinkSync(join(home, 'key'), join(root, 'g.txt'))
  symlinkSync(home, join(root, 'h'))
  assert.deepEqual(await filesWith('hit'), ['a.txt', 'd.txt', 'f.txt'])
  await assert.rejects(find('hit', { names: ['h'] }), { code: 'forbidden' })
})
