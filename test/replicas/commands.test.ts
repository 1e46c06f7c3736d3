// Commands beside replicas: each follows a setting, and a PostgreSQL that is not to be had is told.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { before, test } from 'node:test'
import { Client } from 'pg'
import { lockMigrations } from '#store/migrate-postgres.ts'
import { atrium, atriumEnv, mainFile } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { usePostgres } from '../postgres.ts'
import { patienceMs } from '../until.ts'
import { killAll, sharedEnv, startReplicas, until } from './replicas.ts'

const server = usePostgres()
let url: string
before(async () => {
  url = await server.prepared()
})

test('a setting made by a command is followed by every replica', async (t) => {
  const pair = await startReplicas(2, url)
  const home = newHome()
  t.after(async () => {
    await killAll(pair)
    home.remove()
  })
  for (const name of ['first', 'second']) {
    const ran = await atrium(home.path, ['model', 'set', 'ollama', name, '--force'], { env: sharedEnv(url) })
    assert.equal(ran.code, 0, ran.stderr)
    for (const replica of pair) {
      await until(`the model ${name}`, patienceMs, async () => {
        const { body } = await replica.ask('/api/status')
        return body['llm_backend'] === 'ollama' && body['llm_model'] === name
      })
    }
  }
})

test('a command that waits for the upgrade of another process says so', async (t) => {
  const home = newHome()
  const other = new Client(url)
  await other.connect()
  await other.query('BEGIN')
  await lockMigrations(other)
  const env = { ...atriumEnv(home.path), ...sharedEnv(url) }
  const child = spawn(process.execPath, [mainFile, 'user', 'list'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  t.after(async () => {
    child.kill()
    await other.end()
    home.remove()
  })
  const ended = once(child, 'close')
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  await until('the line', patienceMs, () => Promise.resolve(/waiting for another Atrium, which upgrades/.test(said)))
  await other.query('COMMIT')
  assert.deepEqual(await ended, [0, null])
})

for (const [what, broken] of [
  ['a refused connection', (good: URL) => (good.port = '1')],
  ['a wrong password', (good: URL) => (good.password = 'not-the-password')],
  ['an unknown host', (good: URL) => (good.hostname = 'no-such-host.invalid')],
  ['an unknown database', (good: URL) => (good.pathname = '/nowhere')],
] as const) {
  test(`${what} is told in one line, without the password`, async (t) => {
    const home = newHome()
    t.after(home.remove)
    const bad = new URL(url)
    bad.password = 'pass-word'
    if (what === 'an unknown database') bad.password = 'postgres'
    broken(bad)
    const { code, stderr, stdout } = await atrium(home.path, ['serve'], { env: sharedEnv(bad.href) })
    assert.equal(code, 1, stderr)
    assert.match(stderr, /^error: PostgreSQL is unavailable: [^\n]+\n$/)
    assert(!`${stdout}${stderr}`.includes(bad.password) || bad.password === 'postgres')
    assert(!stderr.includes('    at '))
    assert(!stderr.includes(bad.hostname) && !stderr.includes(bad.username), 'nor where it stands')
  })
}
