// A FIFO in a workspace does not hold up a backup.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { openRealFile } from '#backup/open-real.ts'
import { folder } from '../store/harness.ts'

test('a FIFO is not opened, and nobody waits for its other end', async (t) => {
  const path = join(folder(t), 'fifo')
  execFileSync('mkfifo', [path])
  await assert.rejects(openRealFile(path), /replaced/)
})
