// `atrium mcp` as the operator meets it, with a real server.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openHomeStore } from '#app/open-storage.ts'
import { readConfig } from '#config.ts'
import { homeMark } from '#mcp/process-mark.ts'
import { atrium, atriumEnv, mainFile, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { processesOf, rude } from '../mcp/harness.ts'
import { openLocked } from '../web/locked-server.ts'
import { until } from '../until.ts'
import { scriptedEnv } from '../scripted-env.ts'

const home = newHome()
after(home.remove)
const { command, args: words } = rude()
const mcp = (...args: string[]) => atrium(home.path, ['mcp', ...args])

test('the list and the info of servers say which of them needs a sign-in, and how', async (t) => {
  const url = `${await openLocked(t)}/mcp`
  assert.match((await mcp('add', 'locked', '--url', url)).stdout, /It needs a sign-in/)
  const listed = await mcp('list')
  assert.match(
    listed.stdout,
    /^locked +http +operator +0 [^]*\nlocked needs a sign-in: `\S*atrium mcp auth locked`\n$/m,
  )
  const [server] = JSON.parse((await mcp('list', '--json')).stdout) as { status: string }[]
  assert.equal(server?.status, 'sign_in')
  assert.match((await mcp('info', 'locked')).stdout, /locked needs a sign-in: `\S*atrium mcp auth locked`/)
  await mcp('remove', 'locked')
})

test('the info of a server asks no other one', async (t) => {
  let asked = 0
  const other = createServer((_request, response) => void (asked++, response.writeHead(401).end()))
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  await mcp('add', 'other', '--url', `http://127.0.0.1:${(other.address() as AddressInfo).port}/mcp`)
  await mcp('add', 'locked', '--url', `${await openLocked(t)}/mcp`)
  asked = 0
  assert.match((await mcp('info', 'locked')).stdout, /locked needs a sign-in/)
  assert.equal(asked, 0)
  assert.match((await mcp('info', 'other')).stdout, /other needs a sign-in/)
  assert.ok(asked > 0)
  await mcp('remove', 'other')
  await mcp('remove', 'locked')
})

test('a server is added, set, tested, used, reviewed and removed', async () => {
  assert.match((await mcp('list')).stdout, /^No MCP servers/)
  const added = await mcp('add', 'rude', '--', command, ...words)
  assert.match(
    added.stdout,
    /^Added rude: 13 tools\.\n[^]* {2}echo +asks \(says it only reads\) +A tool\.\n[^]*mcp set rude/,
  )
  const again = await mcp('add', 'rude', '--', command, ...words)
  assert.deepEqual([again.code, again.stdout], [2, ''])
  assert.match(again.stderr, /an MCP server named rude exists/)
  assert.match((await mcp('list')).stdout, /rude +stdio +operator +13 +0 /)
  assert.match((await atrium(home.path, ['tool', 'list'])).stdout, /^rude__echo +MCP +ask +A tool\./m)
  assert.match(
    (await mcp('set', 'rude', 'echo', '--effect', 'read')).stdout,
    /^echo: read\. Its calls run at once\.\n$/,
  )
  const tested = await mcp('test', 'rude', 'echo', '--params', '{"a":1}')
  assert.deepEqual([tested.code, tested.stdout], [0, '{"a":1}\n'])
  const failed = await mcp('test', 'rude', 'fail')
  assert.deepEqual([failed.code, failed.stdout], [1, 'error: it went wrong\n'])
  assert.match((await mcp('info', 'rude')).stdout, /echo +runs at once[^]*the model never reads this\):\nUse me\.\n$/)
  for (const args of [['info', 'rude'], ['list'], ['test', 'rude']]) {
    type Printed = { tools: Record<string, unknown>[] }
    const [server] = [JSON.parse((await mcp(...args, '--json')).stdout)].flat() as Printed[]
    const echo = server?.tools.find(({ name }) => name === 'echo')
    // As at `GET /api/mcp`, and with its schema.
    assert.deepEqual([echo?.['hints'], typeof echo?.['schema']], [['read_only'], 'object'])
  }
  const replies = [
    { when: 'go', calls: [{ name: 'rude__echo', args: { a: 2 } }] },
    { afterTool: 'rude__echo', text: 'It said {{result}}' },
    { when: 'write', calls: [{ name: 'rude__fail' }] },
  ]
  const env = scriptedEnv(home.path, replies, { loop: true })
  const said = await atrium(home.path, ['run', 'go', '--json'], { env })
  const reply = JSON.parse(said.stdout) as { status: string; text?: string }
  assert.equal(reply.status, 'completed')
  assert.match(said.stdout, /It said [^]*untrusted-content[^]*a\\*":2/)
  const asks = await atrium(home.path, ['run', 'write', '--json'], { env })
  assert.match(asks.stdout, /"waiting"/)
  assert.match((await mcp('review', 'rude')).stdout, /^Nothing has changed/)
  assert.match((await atrium(home.path, ['doctor'])).stdout, /mcp: rude answers, with 13 tools/)
  assert.equal((await mcp('remove', 'rude')).stdout, 'Removed rude.\n')
  assert.equal((await mcp('remove', 'rude')).code, 1)
})

test('each count of tools says how many of them the agent has', async () => {
  await mcp('add', 'rude', '--', command, ...words)
  await mcp('set', 'rude', 'echo', '--effect', 'off')
  assert.match((await mcp('list')).stdout, /rude +stdio +operator +12 of 13 +0 /)
  assert.match((await atrium(home.path, ['doctor'])).stdout, /mcp: rude answers, with 12 of 13 tools/)
  await mcp('remove', 'rude')
  const { stdout } = await mcp('add', 'rude', '--', command, ...words, 'tasks')
  assert.match(stdout, /^Added rude: 12 of 13 tools\.\n/)
  await mcp('remove', 'rude')
})

test('a change is accepted once it was seen, and only that of the tool that was named', async () => {
  await mcp('add', 'rude', '--', command, ...words)
  const { store } = await openHomeStore(readConfig({ ATRIUM_HOME: home.path }))
  await store.mcp.change('rude', ({ tools }) => ({
    tools: tools.map((tool) => ({
      ...tool,
      ...(tool.pinned && { changed: { ...tool.pinned, description: 'Another.' } }),
    })),
  }))
  await store.close()
  const changedTools = async () => {
    const [server] = JSON.parse((await mcp('list', '--json')).stdout) as { tools: { name: string; status: string }[] }[]
    return server?.tools.filter(({ status }) => status === 'changed').map(({ name }) => name) ?? []
  }
  const all = await changedTools()
  const shown = await mcp('review', 'rude', 'echo')
  assert.equal(shown.code, 2)
  assert.match(shown.stderr, /nothing was accepted: read the above and pass --yes/)
  assert.match(shown.stdout, /^echo:\n[^]*\+Another\.\n/)
  assert.doesNotMatch(shown.stdout, /^fail:/m)
  assert.deepEqual(await changedTools(), all)
  assert.match((await mcp('review', 'rude', 'echo', '--yes')).stdout, /\nAccepted 1 change\.\n$/)
  assert.deepEqual(
    await changedTools(),
    all.filter((name) => name !== 'echo'),
  )
  await mcp('remove', 'rude')
})

test('a tool that a test finds changed is taken from a service that runs', async (t) => {
  const own = newHome()
  t.after(own.remove)
  const described = join(own.path, 'described')
  writeFileSync(described, 'The first.')
  const replies = [
    { when: 'go', calls: [{ name: 'rude__echo', args: {} }] },
    { afterTool: 'rude__echo', text: 'It said {{result}}' },
  ]
  const server = `exec ${[command, ...words].join(' ')} "description=$(cat '${described}')"`
  const ran = async (...args: string[]) => (await atrium(own.path, args)).stdout
  await ran('mcp', 'add', 'rude', '--', 'sh', '-c', server)
  await ran('mcp', 'set', 'rude', 'echo', '--effect', 'read')
  assert.match(await ran('tool', 'info', 'rude__echo'), /^rude__echo \(of the MCP server rude\)\nThe first\.\n/)
  const service = await serve(own.path, scriptedEnv(own.path, replies, { loop: true }))
  t.after(() => service.stop())
  assert.match(await ran('run', 'go'), /It said [^]*\{\}/)
  writeFileSync(described, 'Another.')
  assert.match(await ran('mcp', 'test', 'rude'), /13 tools changed: /)
  assert.match(await ran('run', 'go'), /there is no tool named rude__echo/)
})

test('nothing that a server says moves the cursor of a terminal, or hides from it', async () => {
  const hidden = '\u202e\u{e0101}'
  const bad = `\u009b1A${hidden}`
  const added = await mcp('add', 'rude', '--', command, ...words, `named=0${hidden}`, `description=A tool${bad}.`)
  const { store } = await openHomeStore(readConfig({ ATRIUM_HOME: home.path }))
  await store.mcp.change('rude', ({ tools }) => ({
    instructions: `Use me${bad}.`,
    tools: tools.map((tool) => ({
      ...tool,
      ...(tool.pinned && tool.name === 'ask' && { changed: { ...tool.pinned, description: `Another${bad}.` } }),
    })),
  }))
  await store.close()
  const file = join(home.path, 'other.json')
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { [`other${bad}`]: { command: `/no/such${bad}` }, [`b${bad}`]: 1 } }),
  )
  const ran = [
    added,
    await mcp('info', 'rude'),
    await mcp('review', 'rude', '--yes'),
    await mcp('set', 'rude', 'echo', '--effect', 'read'),
    await mcp('test', 'rude', 'echo', '--params', JSON.stringify({ said: bad })),
    await mcp('test', 'rude'),
    await mcp('import', file),
  ]
  const all = ran.map(({ stdout, stderr }) => stdout + stderr)
  for (const text of all) assert.doesNotMatch(text, /\u009b|\u202e|\u{e0101}/u)
  assert.match(all[0] ?? '', /  0\S* +refused/)
  assert.match(all[1] ?? '', /  0\S* +refused[^]*Use me\\u\{9b\}/)
  for (const { code, stderr } of ran) assert.equal(code, 0, stderr)
  for (const name of ['rude', 'other-1a']) await mcp('remove', name)
})

test('the name of a tool is one word of the command that is shown to be pasted', async () => {
  const added = await mcp('add', 'rude', '--', command, ...words, "named=a b; it's $(reboot)")
  assert.ok(added.stdout.endsWith(`mcp set rude 'a b; it'\\''s $(reboot)' --effect read\n`), added.stdout)
  await mcp('remove', 'rude')
})

test('servers of another client are imported, with their secrets sealed', async () => {
  const file = join(home.path, 'claude.json')
  const good = { command, args: [...words, 'tasks'], env: { TOKEN: 'not-so-secret', MODE: 'fast' } }
  const mcpServers = { 'My Server': good, broken: { command: '/no/such/server' }, off: { ...good, disabled: true } }
  writeFileSync(file, `// mine\n${JSON.stringify({ mcpServers })}`)
  const { code, stdout } = await mcp('import', file)
  assert.equal(code, 0)
  assert.match(
    stdout,
    /^Added my-server \(My Server there\): 12 of 13 tools\.\n {2}sealed: mcp\.my-server\.TOKEN\nAdded broken: 0 tools/,
  )
  assert.match(stdout, /not started: .*ENOENT[^]*Left off: it is switched off there\.\n$/)
  const seen = await mcp('test', 'my-server', 'environment')
  assert.match(seen.stdout, /"MODE":"fast"/)
  assert.doesNotMatch((await mcp('list')).stdout, /not-so-secret/)
  for (const name of ['my-server', 'broken']) assert.equal((await mcp('remove', name)).code, 0)
})

test('a program that is given by a path is found from the folder of the command', async () => {
  const script = join(home.path, 'server.sh')
  writeFileSync(script, `#!/bin/sh\nexec ${[command, ...words].map((word) => `'${word}'`).join(' ')}\n`, {
    mode: 0o755,
  })
  const added = await mcp('add', 'near', '--', relative(process.cwd(), script))
  assert.equal(added.code, 0, added.stderr)
  assert.equal((await mcp('test', 'near', 'environment')).code, 0)
  assert.equal((await mcp('remove', 'near')).code, 0)
})

test('a file that only the folder of the command has is named with its whole path', async () => {
  const script = join(home.path, 'near.mjs')
  writeFileSync(script, '')
  const folder = join(home.path, 'a', 'b')
  mkdirSync(folder, { recursive: true })
  const near = relative(process.cwd(), script)
  const { code, stderr } = await atrium(home.path, ['mcp', 'add', 'near', '--', process.execPath, near], {
    env: { HOME: folder },
  })
  assert.equal(code, 1)
  assert.match(stderr, /its last line was: Error: Cannot find module /)
  assert.ok(stderr.endsWith(`. Servers start in ${folder}: write ${near} as ${script}\n`), stderr)
})

test('a home folder that is not there is told as such, not as a missing program', async () => {
  const { stderr } = await atrium(home.path, ['mcp', 'add', 'x', '--', command], { env: { HOME: '/nonexistent' } })
  assert.match(stderr, /\(ENOENT\): there is no folder \/nonexistent to start it in: set HOME to a folder$/m)
})

test('a file that holds no servers to import is refused before it is said that any starts', async () => {
  const file = join(home.path, 'not-servers.json')
  writeFileSync(file, '{}')
  const refused = await mcp('import', file)
  assert.deepEqual(refused, { code: 2, stdout: '', stderr: 'error: the file has neither mcpServers nor servers\n' })
  writeFileSync(file, '{"mcpServers":{"a":1}}')
  assert.deepEqual(await mcp('import', file), { code: 0, stdout: 'Left a: it is not an object.\n', stderr: '' })
})

for (const [what, signals, how] of [
  ['Ctrl+C', ['SIGINT'], []],
  ['SIGTERM', ['SIGTERM'], []],
  ['Ctrl+C twice, and a server that ignores signals', ['SIGINT', 'SIGINT'], ['stays']],
] as const) {
  test(`${what} while a server starts adds nothing, and leaves no process`, async () => {
    const started = join(home.path, `started ${what}`)
    const server = `echo > '${started}'; exec ${[command, ...words, 'silent', ...how].join(' ')}`
    const args = ['mcp', 'add', 'slow', '--', 'sh', '-c', server]
    const child = spawn(process.execPath, [mainFile, ...args], { env: atriumEnv(home.path) })
    const errors = text(child.stderr)
    const ended = once(child, 'close')
    await until(() => existsSync(started))
    for (const signal of signals) {
      child.kill(signal)
      await pause(50)
    }
    assert.deepEqual((await ended)[0], 1, await errors)
    if (signals.length === 1) assert.match(await errors, /stopped: nothing was changed/)
    assert.match((await mcp('list')).stdout, /^No MCP servers/)
    // A killed process is there until the system has taken it down.
    await until(() => processesOf(homeMark(realpathSync(home.path))).length === 0)
  })
}

for (const [what, args, code, message] of [
  ['a file to import that is not there', ['import', '/no/such'], 2, /^error: there is no \/no\/such\n$/],
  ['neither a command nor a URL', ['add', 'a'], 2, /give a command after --, or --url/],
  ['a name that does not fit', ['add', 'A b', '--', 'x'], 2, /^(?!Starting).*1 to 32 of a-z/],
  ['a variable without a secret', ['add', 'a', '--env', 'TOKEN', '--', 'x'], 2, /KEY=SECRET/],
  ['a secret that is not set', ['add', 'a', '--env', 'TOKEN=none', '--', 'x'], 1, /secret none, which is not set/],
  [
    'a command that is not there',
    ['add', 'a', '--', '/no/such/server'],
    1,
    /\(ENOENT\): there is no \/no\/such\/server/,
  ],
  [
    'a command that is not on the PATH',
    ['add', 'a', '--', 'no-such'],
    1,
    /\(ENOENT\): there is no no-such on the PATH of Atrium: name it by its whole path, or add its folder to PATH/,
  ],
  [
    'a header without its colon',
    ['add', 'a', '--url', 'https://a.test/mcp', '--header', 'Authorization key'],
    2,
    /--header takes 'Name: SECRET': SECRET is the name of a sealed secret/,
  ],
  ['a server that is not there', ['info', 'none'], 1, /no MCP server is named none: see `\S*atrium mcp list`/],
  [
    'a server to set that is not there',
    ['set', 'none', '--everyone'],
    1,
    /no MCP server is named none: see `\S*atrium mcp list`/,
  ],
  [
    'a server to sign in to that is not there',
    ['auth', 'none'],
    1,
    /no MCP server is named none: see `\S*atrium mcp list`/,
  ],
  [
    'a server to test that is not there, with one way out',
    ['test', 'none'],
    1,
    /no MCP server is named none: see `\S*atrium mcp list`$/m,
  ],
  [
    'parameters without a tool',
    ['test', 'a', '--params', '{}'],
    2,
    /--params is for a tool: \S*atrium mcp test a TOOL/,
  ],
  ['a tool without an effect', ['set', 'a', 'b'], 2, /--effect/],
  ['a tool without an effect, for everyone', ['set', 'a', 'b', '--everyone'], 2, /--effect/],
  [
    'a header for a command',
    ['add', 'a', '--header', 'X-Key: KEY', '--', 'npx'],
    2,
    /--header is for servers with --url/,
  ],
  [
    'a variable for an address',
    ['add', 'a', '--url', 'https://a.test/mcp', '--env', 'A=B'],
    2,
    /--env is for servers with a command/,
  ],
] as const) {
  test(`told: ${what}`, async () => {
    const ran = await mcp(...args)
    assert.deepEqual([ran.code, ran.stdout], [code, ''])
    assert.match(ran.stderr, message)
  })
}
