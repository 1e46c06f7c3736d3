// `atrium user`: tokens are shown once; whoever is removed leaves nothing behind.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { atrium, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { onTerminal, openTerminal } from '../terminal.ts'
import { until } from '../until.ts'
import { scriptedEnv } from '../scripted-env.ts'
import { testFaults } from './faults.ts'

const home = newHome()
after(home.remove)

async function add(name: string): Promise<string> {
  const { stdout } = await atrium(home.path, ['user', 'add', name, '--json'])
  return (JSON.parse(stdout) as { token: string }).token
}

async function users(): Promise<{ id: string; name: string }[]> {
  return JSON.parse((await atrium(home.path, ['user', 'list', '--json'])).stdout) as { id: string; name: string }[]
}

async function names(): Promise<string[]> {
  return (await users()).map(({ name }) => name)
}

test('a user gets a token once; the list shows none', async () => {
  const token = await add('ada')
  assert.match(token, /^atr_.{40,}$/)
  const listed = await atrium(home.path, ['user', 'list', '--json'])
  assert.match(listed.stdout, /"ada"/)
  assert(!listed.stdout.includes(token))
  assert(!readFileSync(join(home.path, 'atrium.db')).includes(token))
  const again = await atrium(home.path, ['user', 'add', 'ada'])
  assert.deepEqual([again.code, again.stdout], [2, ''])
  assert.match(again.stderr, /a user named ada exists already: `\S*atrium user token NAME` makes another token\n$/)
  const second = await atrium(home.path, ['user', 'token', 'ada', '--expires-in-days', '1'])
  assert.match(second.stdout, /^atr_\S+\n$/, 'a script reads the token alone')
  assert.match(second.stderr, /^\nThe token of ada, shown once\./)
  const third = await atrium(home.path, ['user', 'token', 'ada', '--tools', 'time, calculate'])
  assert.match(third.stderr, /Its turns use these tools of the service: time, calculate\.$/m)
  assert.doesNotMatch(third.stderr, /warning/)
  const none = await atrium(home.path, ['user', 'token', 'ada', '--tools', 'none', '--json'])
  assert.deepEqual((JSON.parse(none.stdout) as { tools: unknown }).tools, [])
  assert.match((await atrium(home.path, ['user', 'list'])).stdout, /^ada +4 +\d{4}-/m)
  const database = new DatabaseSync(join(home.path, 'atrium.db'), { readOnly: true })
  const stored = database.prepare('SELECT tools, expires_at FROM tokens ORDER BY created_at, rowid').all()
  database.close()
  assert.deepEqual(
    stored.map(({ tools, expires_at }) => [tools, expires_at !== null]),
    [
      [null, false],
      [null, true],
      ['["time","calculate"]', false],
      ['[]', false],
    ],
    'each is as narrow as it was asked for',
  )
})

test('a token for tools that nobody has is made, with a warning that names them', async () => {
  await add('tim')
  const { code, stdout, stderr } = await atrium(home.path, ['user', 'token', 'tim', '--tools', 'tme,weather,calc'])
  assert.deepEqual([code, stdout.startsWith('atr_')], [0, true])
  assert.match(stderr, /^warning: no tool is named tme or calc: see `\S*atrium tool list`$/m)
  await atrium(home.path, ['user', 'remove', 'tim', '--yes'])
})

test('on a terminal a removal is asked about', onTerminal, async (t) => {
  for (const [answer, code, left] of [
    ['\u0003', 1, ['ada']],
    ['n\r', 1, ['ada']],
    ['\r', 1, ['ada']],
    ['yes\r', 0, []],
  ] as const) {
    const terminal = openTerminal(t, home.path, { args: ['user', 'remove', 'ada'] })
    await terminal.until('[y/N] ')
    terminal.type(answer)
    assert.equal(await terminal.ended, code)
    assert.deepEqual(await names(), left)
  }
})

test('a removal ends what runs for the user and says what it erased', async () => {
  const slow = { text: ['slow ', 'answer'], chunkDelayMs: 600_000 }
  const service = await serve(home.path, scriptedEnv(home.path, [slow], { loop: true }))
  try {
    const token = await add('bob')
    const ask = (message: string): Promise<Response> =>
      fetch(`${service.url}/api/chat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ message }),
      })
    const open = [ask('one'), ask('two')]
    await until(async () => {
      const { stdout } = await atrium(home.path, ['status', '--json'])
      return (JSON.parse(stdout) as { active_jobs: number }).active_jobs === 2
    })
    const { id = '' } = (await users()).find(({ name }) => name === 'bob') ?? {}
    mkdirSync(join(home.path, 'users', id, 'workspace'), { recursive: true })
    writeFileSync(join(home.path, 'users', id, 'workspace', 'a.txt'), 'x')
    const removed = JSON.parse((await atrium(home.path, ['user', 'remove', 'bob', '--yes', '--json'])).stdout) as {
      erased: { threads: number; turns: number; files: number }
    }
    const { threads, turns, files } = removed.erased
    assert.deepEqual([threads, turns, files, existsSync(join(home.path, 'users', id))], [2, 2, 1, false])
    // Long before the model would have gone on.
    const answers = await Promise.all(open)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 401],
    )
    assert.equal((await ask('three')).status, 401)
  } finally {
    await service.stop()
  }
  assert.deepEqual(await names(), [])
})

test('without a service the removal is done all the same', async () => {
  await add('eve')
  const { id } = (await users()).find(({ name }) => name === 'eve') ?? {}
  const folder = join(home.path, 'users', id ?? '')
  mkdirSync(join(folder, 'workspace', 'deep'), { recursive: true })
  writeFileSync(join(folder, 'workspace', 'deep', 'a.txt'), 'x')
  const unsure = await atrium(home.path, ['user', 'remove', 'eve'])
  assert.deepEqual([unsure.code, unsure.stdout, await names()], [2, '', ['eve']])
  assert.match(unsure.stderr, /without a terminal, user remove needs --yes: it would erase eve and all that is theirs/)
  const removed = await atrium(home.path, ['user', 'remove', 'eve', '--yes'])
  assert.deepEqual([removed.code, removed.stderr], [0, ''])
  assert.match(
    removed.stdout,
    /^Removed eve: their tokens no longer work. Erased: 0 threads .*, 0 documents, 1 file of their workspace, 0 skills, 0 secrets and 0 grants/,
  )
  assert.ok(!existsSync(folder))
})

testFaults(home.path, [
  { what: 'an unknown user', args: ['user', 'token', 'nobody'], code: 1, says: /no user is named nobody/ },
  { what: 'removing nobody', args: ['user', 'remove', 'nobody'], code: 1, says: /no user is named nobody/ },
  { what: 'a bad user name', args: ['user', 'add', 'a\tb'], code: 2, says: /a user name has/ },
  { what: 'no user name', args: ['user', 'add'], code: 2, says: /missing[^]*atrium user add --help/ },
  { what: 'a bad expiry', args: ['user', 'add', 'eve', '--expires-in-days', 'soon'], code: 2, says: /whole number/ },
  ...['0', '3651'].map((days) => ({
    what: `an expiry in ${days} days`,
    args: ['user', 'add', 'eve', '--expires-in-days', days],
    code: 2,
    says: /whole number from 1 to 3650/,
  })),
  { what: 'bad tools', args: ['user', 'token', 'eve', '--tools', 'a,,b'], code: 2, says: /--tools takes none/ },
  { what: 'an unknown command', args: ['user', 'hal'], code: 2, says: /unknown command 'hal'/ },
])
