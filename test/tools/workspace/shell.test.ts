// workspace_shell with the real shell: what it returns, what it leaves behind, what it refuses.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { operator } from '#core/ids.ts'
import type { Tool } from '#core/tool.ts'
import { previewText } from '#safety/gate-question.ts'
import { targetOf } from '#safety/grant-rules.ts'
import { confined } from '#tools/workspace/confine.ts'
import { createShellTool, whyShellUnconfined } from '#tools/workspace/shell.ts'
import { patienceMs, until } from '../../until.ts'
import { run } from '../rig.ts'

/** The workspace is beside the home, or a folder in it; unconfined as on a system that cannot hide the home. */
function open(t: TestContext, { work = 'work', unconfined = false } = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'atrium-shell-')))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const home = join(root, 'home')
  mkdirSync(home)
  writeFileSync(join(home, 'master-key'), 'the key of the house')
  const folderOf = () => join(root, work)
  const reason = { whyUnconfined: () => Promise.resolve({ reason: 'it is a test', temporary: false }) }
  return { root, home, tool: createShellTool({ folderOf, home, ...(unconfined && reason) }) }
}

/** Why tests of confinement are skipped here. */
const unconfined = (await whyShellUnconfined({ home: tmpdir(), cwd: '/' }))?.reason ?? false

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // What has ended and is not yet taken note of counts as ended.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** The command line of every process of this machine. */
function processLines(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')] : []
    } catch {
      return []
    }
  })
}

test('a command runs in the workspace; its exit code and both streams are told', async (t) => {
  const { root, tool } = open(t)
  assert.equal(await run(tool, { command: 'pwd; echo wrong >&2; exit 3' }), `exit code 3\n\n${root}/work\nwrong`)
  assert.equal(await run(tool, { command: 'true' }), 'exit code 0\n\n(no output)')
  assert.equal(await run(tool, { command: 'cat' }), 'exit code 0\n\n(no output)', 'nothing can be typed into it')
  assert.match(await run(tool, { command: 'kill -TERM $$' }), /^(?:ended by SIGTERM|exit code 143)\n\n\(no output\)$/)
})

test('nothing of the environment of the service reaches it', async (t) => {
  const { root, tool } = open(t)
  process.env['ATRIUM_TEST_SECRET'] = 'hush'
  t.after(() => delete process.env['ATRIUM_TEST_SECRET'])
  const names = (await run(tool, { command: 'env' })).split('\n\n')[1]?.split('\n').toSorted()
  assert.deepEqual(
    names?.map((line) => line.split('=')[0]).filter((name) => !/^(?:PWD|OLDPWD|SHLVL|_)$/.test(name ?? '')),
    ['COMMAND_ID', 'HOME', 'LANG', 'PATH', 'TERM'],
  )
  assert.ok(names?.includes(`HOME=${root}/work`))
})

test('what takes too long is ended with all that it has started', async (t) => {
  const { tool, root } = open(t, { unconfined: true })
  const command = 'sleep 300 & echo $! > child; echo begun; sleep 300'
  assert.equal(await run(tool, { command, timeout_secs: 10 }), 'ended after 10 seconds: it took too long\n\nbegun')
  const child = Number(readFileSync(join(root, 'work/child'), 'utf8'))
  await until(() => !isAlive(child))
})

test('what is left in the background is ended too, and a turn that is stopped ends it all', async (t) => {
  const { tool, root } = open(t, { unconfined: true })
  const pid = () => Number(readFileSync(join(root, 'work/child'), 'utf8'))
  // One without its mark, which its group alone tells.
  assert.equal(await run(tool, { command: 'env -i sleep 300 & echo $! > child' }), 'exit code 0\n\n(no output)')
  await until(() => !isAlive(pid()))
  const stop = new AbortController()
  const before = pid()
  const running = run(tool, { command: 'sleep 300 & echo $! > child; wait' }, { signal: stop.signal })
  await until(() => Number.isInteger(pid()) && pid() > 0 && pid() !== before)
  stop.abort()
  await assert.rejects(running)
  await until(() => !isAlive(pid()))
})

test('what made a session of its own is ended too', { skip: process.platform !== 'linux' }, async (t) => {
  const { tool, root } = open(t, { unconfined: true })
  const away = `setsid sh -c 'echo $$ > child; exec sleep 300' > /dev/null 2>&1 &`
  const command = `${away} until [ -s child ]; do sleep 0.05; done; echo done`
  assert.equal(await run(tool, { command }), 'exit code 0\n\ndone')
  const child = Number(readFileSync(join(root, 'work/child'), 'utf8'))
  await until(() => !isAlive(child))
})

test('a command that ends leaves another one that runs', { skip: process.platform !== 'linux' }, async (t) => {
  const { tool, root } = open(t, { unconfined: true })
  const other = run(tool, { command: 'echo > begun; until [ -e go ]; do sleep 0.05; done; echo done' })
  await until(() => existsSync(join(root, 'work/begun')))
  assert.equal(await run(tool, { command: 'echo short' }), 'exit code 0\n\nshort')
  writeFileSync(join(root, 'work/go'), '')
  assert.equal(await other, 'exit code 0\n\ndone')
})

test('in confinement nothing outlives a command: not in its own session, without a mark, or when it is stopped', {
  skip: unconfined,
}, async (t) => {
  const { tool, root } = open(t)
  const file = join(root, 'work/begun')
  const away = `setsid env -i /bin/sh -c 'echo begun > ${file}; sleep 300; true' > /dev/null 2>&1 &`
  const isLeft = (): boolean => processLines().some((line) => line.includes(`echo begun > ${file}`))
  assert.equal(
    await run(tool, { command: `${away} until [ -s ${file} ]; do sleep 0.05; done` }),
    'exit code 0\n\n(no output)',
  )
  await until(() => !isLeft())
  rmSync(file)
  const stop = new AbortController()
  const running = run(tool, { command: `${away} sleep 300` }, { signal: stop.signal })
  await until(() => existsSync(file) && isLeft())
  stop.abort()
  await assert.rejects(running)
  await until(() => !isLeft())
})

test('in confinement a command ends with a service that is killed', { skip: unconfined }, async (t) => {
  const { root, home } = open(t)
  const command = `echo > ${root}/begun; sleep 300; true`
  const isLeft = (): boolean => processLines().some((line) => line.includes(command))
  const { file, args } = confined(command, { home, cwd: root })
  const source = `require('node:child_process').spawn(${JSON.stringify(file)}, ${JSON.stringify(args)})`
  const service = spawn(process.execPath, ['-e', source], { stdio: 'ignore' })
  await until(() => existsSync(join(root, 'begun')))
  service.kill('SIGKILL')
  await until(() => !isLeft())
})

for (const work of ['work', 'home/workspace']) {
  test(`a command does not see the service’s own files, and cannot uncover them: ${work}`, {
    skip: unconfined,
  }, async (t) => {
    const { tool, home, root } = open(t, { work })
    const tries = [
      `cat ${home}/master-key`,
      'cat ../master-key ../home/master-key',
      `cd ${home} && ls -A`,
      `umount ${home}; umount -l ${home}; cat ${home}/master-key`,
      `unshare --user --map-root-user --mount sh -c 'umount ${home}; cat ${home}/master-key'`,
      `nsenter --target 1 --mount cat ${home}/master-key`,
      `cat /proc/1/root${home}/master-key /proc/${process.pid}/root${home}/master-key /proc/*/cwd/../master-key`,
      `cat /proc/${process.pid}/environ`,
      `mkdir m; mount -t tmpfs none m; mount --bind ${root} m; cat m/home/master-key`,
      `touch ${home}/planted`,
    ]
    for (const command of tries) {
      const said = await run(tool, { command })
      assert.doesNotMatch(said, /the key of|ATRIUM|npm_|master-key\n/, command)
    }
    assert.equal(await run(tool, { command: 'echo made > here; cat here' }), 'exit code 0\n\nmade')
    assert.equal(readFileSync(join(root, work, 'here'), 'utf8'), 'made\n')
    assert.equal(
      await run(tool, { command: 'id -u; touch own; stat -c %u own' }),
      `exit code 0\n\n${process.geteuid?.()}\n${process.geteuid?.()}`,
    )
    assert.deepEqual(
      readdirSync(home).filter((name) => name !== 'workspace'),
      ['master-key'],
    )
  })
}

test('where commands cannot be confined, whoever is asked is told', async (t) => {
  const context = { user: operator, signal: AbortSignal.timeout(patienceMs) }
  const sentence = async (tool: Tool) => (await tool.ask?.('{"command":"ls"}', context))?.question.sentence ?? ''
  assert.match(
    await sentence(open(t, { unconfined: true }).tool),
    /can also read the keys and data of the service itself/,
  )
  if (unconfined === false) assert.doesNotMatch(await sentence(open(t).tool), /keys/)
})

test('while the machine is too busy to confine, nothing runs; the next command tries again, and keeps what is certain', async (t) => {
  const { root, home } = open(t)
  const found = [
    { reason: 'EAGAIN', temporary: true },
    { reason: 'no unshare', temporary: false },
  ]
  const tool = createShellTool({
    folderOf: () => join(root, 'work'),
    home,
    whyUnconfined: () => Promise.resolve(found.shift()),
  })
  await assert.rejects(run(tool, { command: 'touch made' }), { message: /^nothing was run: .*\(EAGAIN\)/ })
  assert.equal(existsSync(join(root, 'work/made')), false)
  found.push({ reason: 'asked too often', temporary: true })
  for (const _ of [1, 2]) assert.equal(await run(tool, { command: 'echo ran' }), 'exit code 0\n\nran')
})

test('a command that reads through a link out of the workspace is not granted by its first word', (t) => {
  const { root, home, tool } = open(t)
  const work = join(root, 'work')
  const target = (command: string) => targetOf(tool.reach?.(JSON.stringify({ command })))
  assert.equal(target('cat x'), 'cat', 'there is no workspace yet')
  mkdirSync(join(work, 'src'), { recursive: true })
  writeFileSync(join(work, 'src/a'), '')
  writeFileSync(join(root, 'secret'), '')
  const links = {
    x: join(root, 'secret'),
    up: root,
    loop: 'loop',
    '-x': join(home, 'master-key'),
    in: 'src',
    far: 'up',
  }
  for (const [name, to] of Object.entries(links)) symlinkSync(to, join(work, name))
  for (const command of ['cat src/a', 'ls', 'ls in', 'cat in/a', 'cat missing', `grep ${'y'.repeat(300)} src/a`]) {
    assert.equal(target(command), command.split(' ', 1)[0], command)
  }
  for (const command of ['cat x', 'cat src/a "x"', 'ls up', 'cat far/secret', 'cat loop', 'cat -x']) {
    assert.equal(target(command), `$ ${command}`, command)
  }
  const many = `ls${' a'.repeat(200)}`
  assert.equal(target(many), `$ ${many}`, 'more words than are looked at')
})

test('of much output the beginning and the end are told', async (t) => {
  const { tool } = open(t)
  const said = await run(tool, { command: 'seq 1 200000' })
  assert.match(said, /^exit code 0\n\n1\n2\n3\n/)
  assert.match(said, /\n\[… \d+ characters left out …\]\n/)
  assert.match(said, /\n199999\n200000$/)
  assert.ok(said.length < 31_000)
})

test('whoever is asked sees the command; only the operator has it', async (t) => {
  const { tool } = open(t)
  const context = { user: operator, signal: AbortSignal.timeout(patienceMs) }
  const asked = await tool.ask?.('{"command":"rm -r build","timeout_secs":5}', context)
  assert.deepEqual(asked?.preview, { type: 'command', command: 'rm -r build', cwd: 'the workspace', timeoutSecs: 5 })
  assert.equal(previewText(asked.preview), '$ rm -r build\n(in the workspace, for at most 5 seconds)')
  const { effects, repeatable, untrusted, operatorOnly } = tool
  assert.deepEqual([effects, repeatable, untrusted, operatorOnly], ['danger', false, true, true])
})

const refused: readonly [args: unknown, why: RegExp][] = [
  [{}, /^command is missing$/],
  [{ command: '' }, /^command must not be empty$/],
  [{ command: ['ls'] }, /^command must be a text$/],
  [{ command: 'a\0b' }, /NUL/],
  [{ command: 'touch made', timeout_secs: 0 }, /^timeout_secs must be a whole number from 1 to 600$/],
  [{ command: 'touch made', timeout_secs: 601 }, /^timeout_secs must be/],
  [{ command: 'touch made', cwd: '/' }, /^cwd is not a parameter; the parameters are command, timeout_secs$/],
  [{ command: 'x'.repeat(20_001) }, /^command must have at most 20000 characters$/],
]
for (const [args, why] of refused) {
  test(`refused, asked of nobody, and nothing is run: ${JSON.stringify(args).slice(0, 60)}`, async (t) => {
    const { tool } = open(t)
    const text = JSON.stringify(args)
    await assert.rejects(run(tool, text), { message: why })
    await assert.rejects(
      tool.ask?.(text, { user: operator, signal: AbortSignal.timeout(patienceMs) }) ?? Promise.resolve(),
      {
        message: why,
      },
    )
  })
}
