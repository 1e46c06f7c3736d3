// What a component reads of a workspace.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createReadWorkspace } from '#app/invoke.ts'
import { operator } from '#core/ids.ts'

test('a component reads below its folders by the real path: no link leads it elsewhere', async (t) => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'atrium-component-')))
  t.after(() => rmSync(base, { recursive: true, force: true }))
  const root = join(base, 'work')
  for (const folder of ['notes/deep', 'notes2', 'other']) mkdirSync(join(root, folder), { recursive: true })
  for (const path of ['notes/a.txt', 'notes/deep/b.txt', 'notes2/x.txt', 'other/c.txt'])
    writeFileSync(join(root, path), path)
  symlinkSync('../other/c.txt', join(root, 'notes/file-link'))
  symlinkSync('../other', join(root, 'notes/folder-link'))
  symlinkSync('../notes2', join(root, 'notes/alike'))
  symlinkSync('deep/b.txt', join(root, 'notes/inner-link'))
  symlinkSync('other', join(root, 'linked'))
  const readWorkspace = createReadWorkspace({ folderOf: () => root, home: join(base, 'home') })
  const read = (path: string, ...folders: string[]) => readWorkspace(path, { user: operator, folders })
  assert.equal(await read('notes/a.txt', 'notes/'), 'notes/a.txt')
  assert.equal(await read('notes/inner-link', 'notes/'), 'notes/deep/b.txt')
  assert.equal(await read('notes/file-link', 'notes/', 'other/'), 'other/c.txt')
  for (const path of ['notes/file-link', 'notes/folder-link/c.txt', 'notes/alike/x.txt', 'other/c.txt', 'notes/none'])
    assert.equal(await read(path, 'notes/'), undefined, path)
  assert.equal(
    await read('linked/c.txt', 'linked/'),
    undefined,
    'a granted name that is a link is not what was granted',
  )
})
