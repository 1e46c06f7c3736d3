// Words of a command that lead out of the workspace.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { leadsOut } from '#tools/workspace/links-out.ts'

test('a word leads out if it is the path of something outside, also by a link; what is not there leads nowhere', (t) => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'atrium-out-')))
  t.after(() => rmSync(base, { recursive: true, force: true }))
  const [root, home] = [join(base, 'work'), join(base, 'home')]
  const out = (...words: string[]) => leadsOut(words, { root, home })
  assert.equal(out('/etc'), false, 'the first command creates the workspace')
  for (const folder of [root, home, join(root, 'sub')]) mkdirSync(folder)
  writeFileSync(join(root, 'a.txt'), 'x')
  symlinkSync('a.txt', join(root, 'inside'))
  symlinkSync(home, join(root, 'outside'))
  symlinkSync('loop', join(root, 'loop'))
  for (const word of ['a.txt', 'inside', 'sub', '.', 'sub/..', 'nowhere', '-n', 'a.txt/x', 'x'.repeat(300)])
    assert.equal(out(word), false, word)
  for (const word of ['..', 'outside', 'outside/', '/etc', '../home', 'sub/../..', 'loop']) {
    assert.equal(out(word), true, word)
    assert.equal(out('a.txt', word, 'sub'), true, word)
  }
  const words = (count: number) => Array.from({ length: count }, () => 'a.txt')
  assert.equal(out(...words(100)), false)
  assert.equal(out(...words(101)), true, 'more words are not looked at')
})
