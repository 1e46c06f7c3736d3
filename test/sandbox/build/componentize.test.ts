// Building a tool: what a build leaves behind, its own folder and those of builds that were killed.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildTool } from '#sandbox/build/componentize.ts'
import { folder } from '../../store/harness.ts'

test('a build removes the folder that a killed one left a day ago, and none that is in use', async (t) => {
  const [old, young] = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'atrium-tool-'))) as [string, string]
  mkdirSync(join(old, 'wit'))
  const before = new Date(Date.now() - 25 * 60 * 60_000)
  utimesSync(old, before, before)
  await assert.rejects(buildTool({ folder: folder(t) }), /has no tool\.ts/)
  assert.deepEqual([existsSync(old), existsSync(young)], [false, true])
})
