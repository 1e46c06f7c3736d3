// Folders of the cache: complete or absent.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeFolder } from '#sandbox/build/cache-folder.ts'
import { openScratch } from '../../scratch.ts'

test('a folder that cannot be written whole leaves nothing: on a full disk each try would take more of it', (t) => {
  const { path, remove } = openScratch('atrium-cache-')
  t.after(remove)
  const files = new Map([
    ['tool.js', Buffer.from('whole')],
    ['no such folder/tool.wasm', Buffer.from('not written')],
  ])
  assert.throws(() => writeFolder(join(path, 'tool-1'), files), { code: 'ENOENT' })
  assert.deepEqual(readdirSync(path), [])
})
