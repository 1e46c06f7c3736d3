// The code of a tool's process: made from its sources once, and found again.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import module, { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { prepareRuntime } from '#sandbox/build/runtime.ts'

test('types are stripped once per content: what strips them takes 30 MB of the process that loads it', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-runtime-'))
  const strip = context.mock.method(module, 'stripTypeScriptTypes')
  syncBuiltinESMExports()
  context.after(() => {
    strip.mock.restore()
    syncBuiltinESMExports()
    rmSync(folder, { recursive: true, force: true })
  })
  const script = prepareRuntime(folder)
  const files = readdirSync(dirname(script))
  assert.equal(strip.mock.callCount(), files.length)
  for (const file of files)
    assert.doesNotMatch(readFileSync(join(dirname(script), file), 'utf8'), /^(type|import type) /m)
  assert.equal(prepareRuntime(folder), script)
  assert.equal(strip.mock.callCount(), files.length)
})
