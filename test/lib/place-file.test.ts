// Files that are put in place whole.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { placeFile } from '#lib/place-file.ts'

test('a file takes the place of the one before; where it cannot, nothing is left of it', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-place-file-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'taken'))
  for (const content of ['old', 'new']) placeFile(join(folder, 'a'), content)
  assert.throws(() => placeFile(join(folder, 'taken'), 'new'), { code: 'EISDIR' })
  assert.deepEqual([readdirSync(folder), readFileSync(join(folder, 'a'), 'utf8')], [['a', 'taken'], 'new'])
})
