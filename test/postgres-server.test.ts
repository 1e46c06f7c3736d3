// The exit code of processes that load PostgreSQL: its package hooks the end of the process.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'

const server = import.meta.resolve('./postgres-server.ts')
const endings: readonly [what: string, code: string, exitCode: number][] = [
  ['a command ends with its own code', 'process.exitCode = 3', 3],
  [
    'a test file with a test that fails ends with 1',
    `(await import('node:test')).test('fails', () => { throw new Error('as it should') })`,
    1,
  ],
]
for (const [what, code, exitCode] of endings) {
  test(`${what} although it has loaded PostgreSQL`, async () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const args = ['--input-type=module', '--eval', `await import('${server}'); ${code}`]
    const child = spawn(process.execPath, args, { stdio: 'ignore', env })
    assert.deepEqual(await once(child, 'exit'), [exitCode, null])
  })
}
