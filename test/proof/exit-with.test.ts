// The exit code of the proof's commands: the package of PostgreSQL, which they load, has hooks of its own.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

test('a command that has loaded PostgreSQL ends with its own code', async () => {
  const [server, exit] = ['../postgres-server.ts', './exit-with.ts'].map((path) => import.meta.resolve(path))
  const code = `await import('${server}'); (await import('${exit}')).exitWith(3)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: 'inherit' })
  assert.deepEqual(await once(child, 'exit'), [3, null])
})

for (const path of ['run.ts', 'soak/run.ts']) {
  test(`test/proof/${path} ends so`, () => {
    assert.match(readFileSync(new URL(path, import.meta.url), 'utf8'), /^exitWith\(await run\(\)\)$/m)
  })
}
