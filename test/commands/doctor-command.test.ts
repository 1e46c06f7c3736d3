// `atrium doctor`: looks, makes nothing, and says each fault once.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { ollamaAnswers } from '#models/ollama.ts'
import { migrateSqlite } from '#store/migrate-sqlite.ts'
import { migrations } from '#store/migrations.ts'
import { openSqlite } from '#store/sqlite.ts'
import { atrium, atriumEnv, mainFile, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { until } from '../until.ts'

type Finding = { check: string; state: string; detail: string }

function homeOf(t: TestContext): string {
  const { path, remove } = newHome()
  t.after(remove)
  return path
}

async function examine(home: string, env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await atrium(home, ['doctor', '--json'], { env })
  assert.equal(stderr, '')
  const findings = JSON.parse(stdout) as Finding[]
  const of = (state: string): string[] =>
    findings.filter((each) => each.state === state).map(({ check, detail }) => `${check}: ${detail}`)
  return { code, faults: of('fault'), warnings: of('warning'), fine: of('ok') }
}

test('a home that is not there stays away, and is no fault', async (t) => {
  const home = join(homeOf(t), 'home')
  const { code, faults, fine } = await examine(home)
  assert.deepEqual([code, faults], [0, []])
  assert.match(fine.join('\n'), /home: .* is not there yet[^]*database: not there yet/)
  assert(!existsSync(home))
})

test('a home that is well is told in plain words, with lines to paste', async (t) => {
  const home = homeOf(t)
  await atrium(home, ['model', 'list'])
  const before = readdirSync(home).toSorted()
  const ollama = await ollamaAnswers()
  const { code, stdout } = await atrium(home, ['doctor'])
  assert.equal(code, 0)
  assert.match(stdout, /^✓ home: .*, private\n✓ database: SQLite answers, and has every table$/m)
  assert.match(stdout, ollama ? /: bin\/atrium model set ollama qwen3$/m : /^● model: .*: bin\/atrium onboard$/m)
  assert.doesNotMatch(stdout, / shell: /, 'there is none')
  assert.match(stdout, /^✓ service: does not run; start it with: bin\/atrium serve$/m)
  assert.deepEqual(readdirSync(home).toSorted(), before)
})

test('a fault in the configuration is told once, and nothing that rests on it', async (t) => {
  const { code, faults, fine, warnings } = await examine(homeOf(t), { GATEWAY_PORT: 'many' })
  assert.deepEqual([code, fine.length, warnings], [1, 1, []])
  assert.equal(faults.length, 1)
  assert.match(faults[0] ?? '', /^configuration: GATEWAY_PORT must be/)
})

test('it says whether commands of the shell are confined', async (t) => {
  const { warnings, fine } = await examine(homeOf(t), { ATRIUM_SHELL: 'true' })
  const [shell = ''] = [...warnings, ...fine].filter((each) => each.startsWith('shell: '))
  assert.match(
    shell,
    /^shell: commands are (?:confined: they do not see this home|not confined \(.+\): an approved command can)/,
  )
})

test('weak secrets of open doors are warned of', async (t) => {
  const env = { GATEWAY_HOST: '0.0.0.0', GATEWAY_AUTH_TOKEN: 'weak', HTTP_WEBHOOK_SECRET: 'weaker' }
  const { code, warnings } = await examine(homeOf(t), env)
  assert.equal(code, 0)
  assert.match(
    warnings.join('\n'),
    /secrets: GATEWAY_AUTH_TOKEN .*0\.0\.0\.0.*\nsecrets: HTTP_WEBHOOK_SECRET .*0\.0\.0\.0/,
  )
  assert.doesNotMatch(warnings.join('\n'), /weaker/)
})

test('a table that is missing is named', async (t) => {
  const home = homeOf(t)
  await atrium(home, ['model', 'list'])
  const db = new DatabaseSync(join(home, 'atrium.db'))
  db.exec('DROP TABLE tools')
  db.close()
  const { code, faults } = await examine(home)
  assert.equal(code, 1)
  assert.equal(faults.length, 1)
  assert.match(faults[0] ?? '', /^database: .*\btools\b/)
})

test('a database of an earlier version is looked at and left as it is', async (t) => {
  const home = homeOf(t)
  const path = join(home, 'atrium.db')
  const sql = openSqlite(path)
  migrateSqlite(sql.db, path, { steps: migrations.slice(0, 1) })
  await sql.close()
  const before = readdirSync(home).toSorted()
  const { code, faults, fine } = await examine(home)
  assert.deepEqual([code, faults], [0, []])
  const said = new RegExp(
    `database: SQLite answers with version 1: the next start brings it to ${migrations.length}$`,
    'm',
  )
  assert.match(fine.join('\n'), said)
  assert.deepEqual(readdirSync(home).toSorted(), before)
  const db = new DatabaseSync(path, { readOnly: true })
  assert.equal(db.prepare('PRAGMA user_version').get()?.['user_version'], 1)
  db.close()
})

test('what is open to others, or lost, is warned of and left as it is', async (t) => {
  const home = homeOf(t)
  await atrium(home, ['model', 'list'])
  chmodSync(home, 0o755)
  rmSync(join(home, 'master-key'))
  const { code, warnings } = await examine(home)
  assert.equal(code, 0)
  assert.match(warnings.join('\n'), /home: \S+ is open to others: chmod go= [^]*master-key is missing/)
  assert.equal(statSync(home).mode & 0o777, 0o755)
  assert(!existsSync(join(home, 'master-key')))
})

test('a home of somebody else is refused', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root can give a folder away')
  const home = homeOf(t)
  chownSync(home, 65_534, 65_534)
  const { code, faults } = await examine(home)
  assert.equal(code, 1)
  assert.deepEqual(faults.length, 1)
  assert.match(faults[0] ?? '', /home: .*belongs to user/)
})

test('a service that can store nothing is a fault, in its status too', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const home = homeOf(t)
  const service = await serve(home)
  t.after(() => service.stop())
  assert.deepEqual((await examine(home)).faults, [])
  execFileSync('prlimit', ['--pid', String(service.pid), '--fsize=1:'])
  const { code, stderr } = await atrium(home, ['run', 'hello'])
  assert.equal(code, 1, stderr)
  const said = 'the database cannot be written (disk I/O error)'
  assert.deepEqual((await examine(home)).faults, [`service: runs on this home, but ${said}`])
  assert((await atrium(home, ['status'])).stdout.includes(said))
})

test('a model that cannot be opened is a fault', async (t) => {
  const { code, faults } = await examine(homeOf(t), { LLM_PROVIDER: 'openai' })
  assert.equal(code, 1)
  assert.match(faults.join('\n'), /^model: .*OPENAI_API_KEY/)
})

test('a proof that is stopped leaves no scratch home', async (t) => {
  const folder = homeOf(t)
  const env = { ...atriumEnv(folder), TMPDIR: folder }
  const child = spawn(process.execPath, [mainFile, 'doctor', '--prove'], { env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  await until(() => readdirSync(folder).some((name) => name.startsWith('atrium-prove-')))
  child.kill('SIGINT')
  assert.deepEqual(await ended, [1, null])
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('atrium-prove-')),
    [],
  )
})
