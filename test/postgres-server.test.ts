// The server of the tests: one that fails, and the exit code of processes that load it, whose end its package hooks.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { startPostgres } from './postgres-server.ts'
import { until } from './until.ts'

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

test('a server that ended by itself and does not start again tells why, and is removed', async () => {
  const server = await startPostgres()
  const pidFile = join(server.folder, 'postmaster.pid')
  process.kill(Number.parseInt(readFileSync(pidFile, 'utf8'), 10), 'SIGQUIT')
  await until(() => !existsSync(pidFile))
  await server.stop()
  writeFileSync(join(server.folder, 'postgresql.conf'), 'no_such_setting = 1\n')
  await assert.rejects(server.start(), /PostgreSQL did not start: [\s\S]*no_such_setting/)
  await server.remove()
  assert(!existsSync(dirname(server.folder)))
})
