// Building a tool: what a build leaves behind, its own folder and those of builds that were killed.
import assert from 'node:assert/strict'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { buildTool } from '#sandbox/build/componentize.ts'
import { folder } from '../../store/harness.ts'

test('a build removes the folder that a killed one left a day ago, and none that is in use', async (t) => {
  const [old, young] = [makeWork(t), makeWork(t)]
  mkdirSync(join(old, 'wit'))
  age(old)
  await assert.rejects(buildTool({ folder: folder(t) }), /has no tool\.ts/)
  assert.deepEqual([existsSync(old), existsSync(young)], [false, true])
})

test('a build of root leaves old folders to their users', { skip: process.getuid?.() !== 0 }, async (t) => {
  const theirs = makeWork(t)
  chownSync(theirs, 65_534, 65_534)
  age(theirs)
  await assert.rejects(buildTool({ folder: folder(t) }), /has no tool\.ts/)
  assert.equal(existsSync(theirs), true)
})

function makeWork(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'atrium-tool-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function age(path: string): void {
  const before = new Date(Date.now() - 25 * 60 * 60_000)
  utimesSync(path, before, before)
}
