import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

/** The folders for temporary files before and in a process that makes one for a run without a disk in memory. */
function foldersOf(env: NodeJS.ProcessEnv): string[] {
  const file = pathToFileURL(join(import.meta.dirname, 'run-folder.ts')).href
  const script = `import { tmpdir } from 'node:os'
    import { useRunFolder } from '${file}'
    const before = tmpdir()
    useRunFolder('/nowhere')
    console.log(JSON.stringify([before, tmpdir()]))`
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' })
  return JSON.parse(said) as string[]
}

test('without a disk in memory a run has a folder on another one, and removes it with all that tests left', () => {
  const { TMPDIR: _, ...env } = process.env
  const [before = '', folder = ''] = foldersOf(env)
  assert.ok(folder.startsWith(join(before, 'atrium-tests-')), folder)
  assert.equal(existsSync(folder), false)
})

test('a folder that somebody has chosen is used as it is', () => {
  const [before, folder] = foldersOf({ ...process.env, TMPDIR: import.meta.dirname })
  assert.deepEqual([before, folder], [import.meta.dirname, import.meta.dirname])
})
