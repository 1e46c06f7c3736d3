// `atrium backup` and `atrium restore` as people run them.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { wordsOf } from '#commands/backup-command.ts'
import { atrium, atriumProcess, mainFile, type Program, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'

type Thread = { readonly id: string }

test('a home moves by one file; without its key, secrets that are set anew work again', async () => {
  const [home, next] = [newHome(), newHome()]
  const file = join(home.path, 'a.backup')
  const run = (path: string, ...args: string[]) => atrium(path, args)
  try {
    const said = JSON.parse((await run(home.path, 'run', '-m', 'hello', '--json')).stdout) as { turn_id: string }
    await atrium(home.path, ['secret', 'set', 'MY_KEY'], { input: 'a-value-of-the-tests' })
    const service = await serve(home.path)
    const refused = await run(home.path, 'restore', file)
    assert.deepEqual([refused.code, /stop it first/.test(refused.stderr)], [1, true], refused.stderr)
    const made = await run(home.path, 'backup', file)
    assert.deepEqual([made.code, made.stderr], [0, ''], made.stderr)
    assert.match(made.stdout, /1 thread, 1 turn, 2 items[^]*The master key is not in it/)
    await service.stop()
    assert.match((await run(home.path, 'backup', '--verify', file)).stdout, /complete and unchanged/)
    const view = JSON.parse((await run(home.path, 'backup', '--verify', file, '--json')).stdout) as {
      with_key: boolean
    }
    assert.equal(view.with_key, false)

    const restored = await run(next.path, 'restore', file)
    assert.equal(restored.code, 0, restored.stderr)
    assert.match(restored.stdout, /1 secret cannot be opened without the key: MY_KEY/)
    const again = await run(next.path, 'restore', file, '--replace')
    assert.deepEqual([again.code, /needs --yes/.test(again.stderr)], [2, true], again.stderr)
    assert.match((await run(next.path, 'restore', file)).stderr, /is not empty: with --replace/)
    const threads = JSON.parse((await run(next.path, 'threads', '--json')).stdout) as Thread[]
    assert.equal(threads.length, 1)
    assert.equal((await run(next.path, 'receipt', said.turn_id, '--verify')).code, 0)

    const started = await serve(next.path)
    assert.match(started.output(), /WARNING {2}sealed under another key[^]*MY_KEY/)
    await atrium(next.path, ['secret', 'set', 'MY_KEY'], { input: 'another-value-of-tests' })
    await started.stop()
    assert.doesNotMatch((await run(next.path, 'secret', 'list')).stdout, /cannot be opened/)
    const replaced = await run(next.path, 'restore', file, '--replace', '--yes', '--json')
    const { aside } = JSON.parse(replaced.stdout) as { aside: string }
    assert(existsSync(join(aside, 'atrium.db')), replaced.stderr)
    // The home keeps its own key where the backup brings none.
    assert.equal(existsSync(join(aside, 'master-key')), false)
  } finally {
    home.remove()
    next.remove()
  }
})

test('a backup with its key opens every secret elsewhere; a damaged one changes nothing', async () => {
  const [home, next] = [newHome(), newHome()]
  const file = join(home.path, 'a.backup')
  try {
    const early = await atrium(next.path, ['backup', file])
    assert.deepEqual([early.code, /has no database yet/.test(early.stderr)], [1, true], early.stderr)
    await atrium(home.path, ['onboard'])
    await atrium(home.path, ['secret', 'set', 'MY_KEY'], { input: 'a-value-of-the-tests' })
    assert.match((await atrium(home.path, ['backup', file, '--with-key'])).stdout, /The master key is in it/)
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.subarray(0, -20))
    const damaged = await atrium(next.path, ['restore', file])
    assert.deepEqual([damaged.code, /not complete/.test(damaged.stderr)], [2, true], damaged.stderr)
    assert.equal(existsSync(join(next.path, 'atrium.db')), false)
    const missing = join(next.path, 'new')
    assert.equal((await atrium(missing, ['restore', file])).code, 2)
    assert.ok(!existsSync(missing), 'a home that was made for it goes too')
    writeFileSync(file, bytes)
    assert.equal((await atrium(missing, ['restore', file])).code, 0)
    assert.ok(existsSync(join(missing, 'atrium.db')), 'one in which something was restored stays')
    rmSync(missing, { recursive: true })
    const restored = await atrium(next.path, ['restore', file, '--json'])
    assert.deepEqual((JSON.parse(restored.stdout) as { unopenable: string[] }).unopenable, [], restored.stderr)
    for (const name of ['master-key', 'webui-token'])
      assert.deepEqual(readFileSync(join(next.path, name)), readFileSync(join(home.path, name)))
  } finally {
    home.remove()
    next.remove()
  }
})

test('a backup with its key has the key of the environment, which is in no file of the home', async () => {
  const [home, next] = [newHome(), newHome()]
  const file = join(home.path, 'a.backup')
  const env = { ATRIUM_MASTER_KEY: 'c0ffee'.repeat(10) + 'beef' }
  try {
    await atrium(home.path, ['secret', 'set', 'MY_KEY'], { input: 'a-value-of-the-tests', env })
    assert.equal((await atrium(home.path, ['backup', file, '--with-key'], { env })).code, 0)
    assert.equal(existsSync(join(home.path, 'master-key')), false)
    const restored = await atrium(next.path, ['restore', file, '--json'])
    assert.deepEqual((JSON.parse(restored.stdout) as { unopenable: string[] }).unopenable, [], restored.stderr)
    assert.equal(readFileSync(join(next.path, 'master-key'), 'utf8').trim(), env.ATRIUM_MASTER_KEY)
  } finally {
    home.remove()
    next.remove()
  }
})

test('the header of a foreign backup cannot write to the terminal', () => {
  const header = {
    version: '1\u001b[2J\n',
    schema: 1,
    database: 'sqlite',
    created_at: '2026\u001b]0;x\u0007',
    with_key: false,
    tables: {},
  } as const
  assert.doesNotMatch(wordsOf({ header, files: 1 }), /\p{Cc}/u)
})

/** Runs a program in a namespace where the home is on a disk that is read-only. */
const readOnlyHome = [
  'unshare',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  'mount --bind "$ATRIUM_HOME" "$ATRIUM_HOME" && mount -o remount,bind,ro "$ATRIUM_HOME" && exec "$@"',
  'sh',
] as const
const skip = spawnSync(readOnlyHome[0], ['--map-root-user', '--mount', 'true']).status !== 0 && 'no namespaces here'

test('a home on a read-only disk is backed up, with a log that a killed process has left and without', {
  skip,
}, async (t) => {
  const [home, target] = [newHome(), newHome()]
  t.after(() => [home, target].forEach(({ remove }) => remove()))
  const file = join(target.path, 'a.backup')
  const program: Program = [...readOnlyHome, process.execPath, '--disable-warning=ExperimentalWarning', mainFile]
  const copied = async (threads: number) => {
    const made = await atriumProcess(home.path, ['backup', file], { program })
    assert.equal(made.code, 0, made.stderr)
    assert.match(made.stdout, new RegExp(`${threads} threads?, `))
    assert.match((await atrium(home.path, ['backup', '--verify', file])).stdout, /complete and unchanged/)
    assert.deepEqual(readdirSync(target.path), ['a.backup'])
  }
  await atrium(home.path, ['run', 'hello'])
  await copied(1)
  const service = await serve(home.path)
  await atrium(home.path, ['run', 'hello again'])
  service.signal('SIGKILL')
  await service.ended
  assert(statSync(join(home.path, 'atrium.db-wal')).size > 0)
  rmSync(join(home.path, 'atrium.db-shm'))
  await copied(2)
})
