// Which paths are those of the files that say who the agent is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isIdentity } from '#core/document.ts'
import { growth } from '../safety/growth.ts'

const table: readonly [path: unknown, expected: boolean][] = [
  ['AGENTS.md', true],
  ['SOUL.md', true],
  ['IDENTITY.md', true],
  ['USER.md', true],
  ['agents.MD', true],
  ['./AGENTS.md', true],
  ['//USER.md', true],
  ['.\\SOUL.md', true],
  [' USER.md ', true],
  ['USER.md/', true],
  ['USER.md.', true],
  ['ＩＤＥＮＴＩＴＹ.md\u200b', true],
  [undefined, true],
  [5, true],
  ['notes/AGENTS.md', false],
  ['AGENTS.md.bak', false],
  ['AGENTS.mdx', false],
  ['MYUSER.md', false],
  ['AGENTS', false],
  ['x'.repeat(1_001), true],
  ['', false],
]
for (const [path, expected] of table) {
  test(`${JSON.stringify(path)} ${expected ? 'counts as' : 'is not'} an identity file`, () => {
    assert.equal(isIdentity(path), expected)
  })
}

for (const part of ['/', '. ', './', '\u200b', 'USER.md', '\u0301\u0323']) {
  test(`the work for a path of many ${JSON.stringify(part)} grows with its length alone`, () => {
    assert.ok(growth((times) => isIdentity(part.repeat(times))) < 3)
  })
}
