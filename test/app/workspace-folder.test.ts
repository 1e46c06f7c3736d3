// The folders of users: one for each, below the home, whatever the id looks like.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { eraseWorkspace, workspaceOf } from '#app/workspace-folder.ts'
import { operator, userId } from '#core/ids.ts'
import { ada, bob, folder } from '../store/harness.ts'

test('no id leads out of the folder of the users, to that of another, or to a name that is too long', (t) => {
  const home = folder(t)
  const long = 'é'.repeat(300)
  const ids = ['.', '..', '../ada', 'ada/..', 'ada', 'ada.', "(ada)'*!", `${long}1`, `${long}2`]
  const folders = ids.map((id) => dirname(workspaceOf({ home, workspace: '/elsewhere' }, userId(id))))
  assert.deepEqual(new Set(folders.map((each) => dirname(each))), new Set([join(home, 'users')]))
  assert.equal(new Set(folders).size, ids.length)
  for (const each of folders) mkdirSync(each, { recursive: true })
})

test('the files of a user are erased and counted; those of the operator and of others stay', async (t) => {
  const home = folder(t)
  const folders = { home, workspace: join(home, 'users', operator) }
  const files = [ada, bob, operator].map((user) => join(workspaceOf(folders, user), 'notes', 'a.txt'))
  for (const file of files) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'x')
  }
  assert.deepEqual(await Promise.all([eraseWorkspace(folders, ada), eraseWorkspace(folders, operator)]), [1, 0])
  assert.deepEqual(
    files.map((file) => existsSync(file)),
    [false, true, true],
  )
  assert.equal(await eraseWorkspace(folders, ada), 0)
})
