// Configurations of other clients.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readImport, withoutComments } from '#mcp/import.ts'

const parts = { taken: ['files'], looksSecret: (value: string) => value.startsWith('sk-') }

test('servers of Claude Desktop and Cursor are taken', () => {
  const text = `{
    // my servers
    "mcpServers": {
      "Files": { "command": "npx", "args": ["-y", "server", "/srv // not a comment"], "env": { "MODE": "fast", "API_KEY": "abc" } },
      "wiki": { "url": "https://wiki.example/mcp", "headers": { "Authorization": "Bearer abc", "X-From": "\${FROM}" } },
      "off": { "command": "x", "disabled": true }, /* last */
      "old": { "type": "sse", "url": "https://a.example/sse" },
      "folder": { "command": "x", "args": ["\${workspaceFolder}"] },
      "nothing": {},
    },
  }`
  const { servers, left } = readImport(text, parts)
  assert.deepEqual(servers, [
    {
      name: 'files-2',
      was: 'Files',
      target: {
        kind: 'stdio',
        command: 'npx',
        args: ['-y', 'server', '/srv // not a comment'],
        env: { MODE: '=fast', API_KEY: 'mcp.files-2.API_KEY' },
      },
      seal: { 'mcp.files-2.API_KEY': 'abc' },
      missing: [],
      notes: [],
    },
    {
      name: 'wiki',
      target: {
        kind: 'http',
        url: 'https://wiki.example/mcp',
        headers: { Authorization: 'mcp.wiki.Authorization', 'X-From': '$FROM' },
      },
      seal: { 'mcp.wiki.Authorization': 'Bearer abc' },
      missing: [],
      notes: [],
    },
  ])
  assert.deepEqual(
    left.map(({ name }) => name),
    ['off', 'old', 'folder', 'nothing'],
  )
  assert.match(left[1]?.why ?? '', /SSE/)
  assert.match(left[2]?.why ?? '', /\$\{workspaceFolder\}/)
})

test('servers of VS Code are taken, and their inputs named as missing', () => {
  const servers = {
    github: {
      type: 'stdio',
      command: 'gh-server',
      args: ['sk-in-the-open'],
      env: { TOKEN: '${input:gh-token}', HOST: '${env:GH_HOST}', URL: 'sk-hidden', RETRIES: 3 },
    },
    web: { type: 'http', url: 'https://a.example/mcp', headers: { Authorization: 'Bearer ${input:1key}' } },
  }
  for (const file of [{ servers }, { mcp: { servers } }]) {
    const [github, web] = readImport(JSON.stringify(file), parts).servers
    assert.deepEqual(github?.target.kind === 'stdio' && github.target.env, {
      TOKEN: 'gh-token',
      HOST: '$GH_HOST',
      URL: 'mcp.github.URL',
      RETRIES: '=3',
    })
    assert.deepEqual(github?.missing, [{ secret: 'gh-token', for: 'TOKEN' }])
    assert.match(github?.notes[0] ?? '', /looks like a secret/)
    assert.deepEqual(web?.missing, [{ secret: 'input-1key', for: 'Authorization, as a whole: Bearer ${input:1key}' }])
  }
})

test('the values of variables whose names say that they are secrets are sealed', () => {
  const secret = ['apiKey', 'GH_TOKEN', 'SECRET', 'PASSWD', 'PG_PWD', 'AUTH', 'CREDENTIAL', 'COOKIE', 'SENTRY_DSN']
  const plain = ['MODE', 'REGION', 'USER']
  const env = Object.fromEntries([...secret, ...plain].map((name) => [name, 'x']))
  const [server] = readImport(JSON.stringify({ servers: { a: { command: 'x', env } } }), parts).servers
  assert.deepEqual(
    Object.keys(server?.seal ?? {}),
    secret.map((name) => `mcp.a.${name}`),
  )
})

test('headers are sealed whatever they are named, under names that a secret can have', () => {
  const headers = { 'X-Mode!': 'fast' }
  const [server] = readImport(JSON.stringify({ servers: { a: { url: 'https://a.example', headers } } }), parts).servers
  assert.deepEqual(server?.target.kind === 'http' && server.target.headers, { 'X-Mode!': 'mcp.a.X-Mode_' })
  assert.deepEqual(server?.seal, { 'mcp.a.X-Mode_': 'fast' })
})

test('servers whose names become the same have different ones, and a hundred are taken at once', () => {
  const named = { 'A B': { command: 'x' }, 'a-b': { command: 'y' } }
  const { servers } = readImport(JSON.stringify({ servers: named }), parts)
  assert.deepEqual(
    servers.map(({ name }) => name),
    ['a-b', 'a-b-2'],
  )
  const many = (count: number) =>
    JSON.stringify({
      servers: Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, { command: 'x' }])),
    })
  assert.equal(readImport(many(100), parts).servers.length, 100)
  assert.throws(() => readImport(many(101), parts), { code: 'invalid_input', message: /more than 100 servers/ })
})

test('a file without servers is refused', () => {
  for (const text of ['', '[]', '{}', '{"mcpServers": []}', '{"mcpServers": {'])
    assert.throws(() => readImport(text, parts), { code: 'invalid_input' })
})

test('comments and commas are taken out, texts stay', () => {
  const rows: [text: string, json: string][] = [
    ['{"a": 1, // x\n}', '{"a": 1}'],
    ['[1, /* , */ 2,]', '[1,2]'],
    ['{"a": "//, }", }', '{"a": "//, }"}'],
    ['"\\"//"', '"\\"//"'],
    ['/* never ends', ''],
    ['"never ends', '"never ends'],
  ]
  for (const [text, json] of rows) assert.equal(withoutComments(text), json, text)
})

test('a server that cannot be taken over is left with its reason', () => {
  const rows: [entry: unknown, why: RegExp][] = [
    ['x', /not an object/],
    [{ command: '' }, /neither a command nor a URL/],
    [{ command: 'x', args: 'y' }, /arguments are not texts/],
    [{ command: 'x', args: ['y', 5] }, /arguments are not texts/],
    [{ command: '${home}/x' }, /command line has \$\{home\}/],
    [{ command: 'x', env: [] }, /not an object/],
    [{ command: 'x', env: { A: null } }, /value of A is not a text/],
    [{ url: 'https://${host}/mcp' }, /URL has a placeholder/],
    [{ url: 'https://a.example', headers: 'x' }, /not an object/],
  ]
  for (const [entry, why] of rows) {
    const { servers, left } = readImport(JSON.stringify({ servers: { a: entry } }), parts)
    assert.deepEqual(servers, [], String(why))
    assert.equal(left[0]?.name, 'a')
    assert.match(left[0]?.why ?? '', why)
  }
})

test('flags and numbers are texts, and a name that an import seals is not asked for', () => {
  const env = { DEBUG: true, LEVEL: 2, KEY: '${input:mcp.files.KEY}' }
  const [server] = readImport(JSON.stringify({ servers: { a: { command: 'x', env, disabled: false } } }), parts).servers
  assert.deepEqual(server?.target.kind === 'stdio' && server.target.env, {
    DEBUG: '=true',
    LEVEL: '=2',
    KEY: 'input-mcp.files.KEY',
  })
  assert.deepEqual(server?.notes, [])
})

test('an argument with very many beginnings of placeholders is looked through once', () => {
  const read = (args: readonly string[]) =>
    readImport(JSON.stringify({ mcpServers: { a: { command: 'x', args } } }), parts)
  const many = '${'.repeat(500_000)
  assert.equal(read([many]).servers.length, 1)
  assert.match(read(['a${b}c${d}']).left[0]?.why ?? '', /has \$\{b\}, which/)
})
