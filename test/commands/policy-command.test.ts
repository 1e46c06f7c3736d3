// `atrium policy`: the table as it stands, set and taken back, beside a running service or without one.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { atrium, type Ran, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { scriptedEnv } from '../scripted-env.ts'

const home = newHome()
after(home.remove)
const calls = [{ name: 'memory_write', args: { path: 'a.md', content: 'tea' } }]
const env = scriptedEnv(home.path, [
  { when: 'go', calls },
  { afterTool: 'memory_write', text: 'kept' },
])
const on = (...words: readonly string[]): Promise<Ran> => atrium(home.path, words, { env })

type Row = { row: string; clean: string; tainted: string; set: boolean }

async function row(id: string): Promise<Row | undefined> {
  return (JSON.parse((await on('policy', '--json')).stdout) as Row[]).find((each) => each.row === id)
}

test('a row is set half by half and taken back', async () => {
  assert.match((await on('policy')).stdout, /^fetch +allow +known +default /m)
  assert.equal((await on('policy', 'set', 'fetch', '--tainted', 'deny')).stdout, 'Set fetch.\n')
  await on('policy', 'set', 'fetch', '--clean', 'ask')
  await on('policy', 'set', 'shell', '--clean', 'deny')
  const { clean, tainted, set } = (await row('fetch')) ?? {}
  assert.deepEqual([clean, tainted, set], ['ask', 'deny', true])
  await on('policy', 'reset', 'fetch')
  assert.deepEqual([(await row('fetch'))?.clean, (await row('shell'))?.clean], ['allow', 'deny'])
})

test('what is no row, no rule and no mark is refused, and nothing is stored', async () => {
  const before = (await on('policy', '--json')).stdout
  for (const [words, fault] of [
    [['set', 'fetch'], /say what to set: --clean RULE, --tainted RULE or both, with allow, ask, deny or known as RULE/],
    [['set', 'fetsh', '--clean', 'ask'], /policy\.fetsh is not a row of the policy; the rows are read, /],
    [['set', '__proto__', '--clean', 'ask'], /policy\.__proto__ is not a row/],
    [['set', 'fetch', '--clean', 'maybe'], /policy\.fetch\.clean must be one of allow, ask, deny, known/],
    [['reset', 'fetsh'], /policy\.fetsh is not a row/],
    [['mark', 'urgent', 'off'], /there is no mark urgent; the marks are .*urgency/],
    [['mark', 'urgency', 'of'], /a mark is on or off, not of/],
  ] as const) {
    const ran = await on('policy', ...words)
    assert.equal(ran.code, 2, words.join(' '))
    assert.match(ran.stderr, fault)
  }
  assert.equal((await on('policy', '--json')).stdout, before)
})

test('a running service follows at once', async () => {
  const service = await serve(home.path, env)
  const status = async (): Promise<string> =>
    (JSON.parse((await on('run', '-m', 'go', '--json')).stdout) as { status: string }).status
  try {
    assert.equal(await status(), 'completed')
    await on('policy', 'set', 'memory', '--clean', 'ask')
    assert.equal(await status(), 'waiting')
    await on('policy', 'reset', 'memory')
    assert.equal(await status(), 'completed')
  } finally {
    await service.stop()
  }
})

test('a mark is switched off and on; a setting that cannot be read is told with the way out', async () => {
  await on('policy', 'mark', 'urgency', 'off')
  await on('policy', 'mark', 'conceal', 'off')
  await on('policy', 'mark', 'conceal', 'on')
  const { stdout } = await on('policy', 'marks')
  assert.match(stdout, /^urgency +off /m)
  assert.match(stdout, /^conceal +on /m)
  const db = new DatabaseSync(join(home.path, 'atrium.db'))
  db.prepare("UPDATE settings SET value = ? WHERE name = 'marks_off'").run('["urgent"]')
  db.close()
  const broken = await on('policy', 'marks')
  assert.deepEqual([broken.code, /the setting marks_off must be/.test(broken.stderr)], [2, true])
  assert.match(broken.stderr, /policy --help/)
  assert.equal((await on('policy', 'reset')).code, 0)
  assert.match((await on('policy', 'marks')).stdout, /^urgency +on /m)
  assert.equal((await row('shell'))?.clean, 'ask')
})
