// `atrium tool` as a user meets it, on the component that comes with the project.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { atrium, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { capabilities, useWeatherHome } from './weather-home.ts'

const { home, file, install } = useWeatherHome()

test('a home behind a link runs tools too', async () => {
  const link = `${home.path}-link`
  symlinkSync(home.path, link)
  try {
    const ran = await atrium(link, [
      'tool',
      'test',
      'weather',
      '--params',
      '{"action":"get_current","city":""}',
      '--json',
    ])
    assert.match(ran.stdout, /'city' must not be empty/)
  } finally {
    rmSync(link)
  }
})

test('the weather tool is there from the start', async () => {
  const { stdout } = await atrium(home.path, ['tool', 'list', '--json'])
  const listed = JSON.parse(stdout) as { name: string; built_in: boolean }[]
  assert.deepEqual(
    listed.flatMap(({ name, built_in }) => (built_in ? [] : [name])),
    ['weather'],
  )
  const info = JSON.parse((await atrium(home.path, ['tool', 'info', 'weather', '--json'])).stdout) as Record<
    string,
    unknown
  >
  assert.deepEqual(Object.keys(info), ['name', 'description', 'schema', 'capabilities', 'sha256'])
  assert.equal((info['schema'] as { oneOf: unknown[] }).oneOf.length, 3)
  assert.deepEqual(info['capabilities'], capabilities)
})

test('a built-in tool is listed and shown like any other', async () => {
  const listed = (await atrium(home.path, ['tool', 'list'])).stdout
  for (const name of ['time', 'calculate', 'web_fetch', 'http_request', 'workspace_write', 'memory_read']) {
    assert.match(listed, new RegExp(`^${name} +built in +\\S`, 'm'))
  }
  assert.doesNotMatch(listed, /workspace_shell/)
  const words = listed
    .split('\n')
    .filter((line) => /^\w+ +built in/.test(line))
    .map((line) => line.replace(/^.* {2,}/, ''))
  assert.equal(new Set(words).size, words.length, 'each has words of its own')
  const info = JSON.parse((await atrium(home.path, ['tool', 'info', 'time', '--json'])).stdout) as object
  const { schema, ...rest } = info as { schema: { type: string }; description: string }
  assert.equal(schema.type, 'object')
  assert.deepEqual({ ...rest, description: '' }, { name: 'time', description: '', capabilities: null, sha256: null })
})

test('a built-in tool that only looks is tried like any other; one that would change something says so', async () => {
  const test = (name: string, params: string) => atrium(home.path, ['tool', 'test', name, '--params', params, '--json'])
  const good = await test('calculate', '{"expression":"6*7"}')
  assert.equal(good.code, 0, good.stderr)
  assert.match((JSON.parse(good.stdout) as { output: string }).output, /42/)
  const bad = await test('memory_read', '{"path":"nowhere.md"}')
  assert.equal(bad.code, 1)
  assert.match((JSON.parse(bad.stdout) as { error: string }).error, /nowhere\.md/)
  const writes = await test('memory_write', '{"path":"a.md","content":"x"}')
  assert.equal(writes.code, 1)
  assert.match(writes.stderr, /memory_write is built in and this call would change something/)
  assert.equal((await test('calculate', '6*7')).code, 2)
})

test('a built-in tool cannot be removed, and one that is not there neither', async () => {
  const [own, none] = await Promise.all(['time', 'nothing'].map((name) => atrium(home.path, ['tool', 'remove', name])))
  assert.deepEqual([own?.code, none?.code], [1, 1])
  assert.match(own?.stderr ?? '', /time is built in: it can be switched off on the Tools page, not removed/)
  assert.match(none?.stderr ?? '', /no tool is named nothing: see `\S+ tool list`/)
})

test('on a fresh home the weather tool is there for the first request, and nobody else may have its name', async () => {
  const fresh = newHome()
  const service = await serve(fresh.path, { GATEWAY_AUTH_TOKEN: 'a-token-for-the-test' })
  try {
    const answer = await fetch(`${service.url}/api/v1/responses`, {
      method: 'POST',
      headers: { authorization: 'Bearer a-token-for-the-test', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', input: 'hi', tools: [{ type: 'function', name: 'weather', parameters: {} }] }),
    })
    assert.equal(answer.status, 400)
    assert.match(await answer.text(), /weather/)
  } finally {
    await service.stop()
    fresh.remove()
  }
})

test('parameters that are not JSON reach the component, whose own words come back', async () => {
  const ran = await atrium(home.path, ['tool', 'test', 'weather', '--params', 'Lisbon', '--json'])
  assert.match((JSON.parse(ran.stdout) as { error: string }).error, /^Invalid parameters: /)
  assert.equal(ran.code, 1)
})

test('a call can be tried: its error is printed as it is, exit code 1', async () => {
  const ran = await atrium(home.path, [
    'tool',
    'test',
    'weather',
    '--params',
    '{"action":"get_current","city":""}',
    '--json',
  ])
  assert.deepEqual(JSON.parse(ran.stdout), {
    output: null,
    error: "'city' must not be empty",
    logs: [],
    requests: [],
    blocked: [],
  })
  assert.equal(ran.code, 1)
})

test('without a terminal installing says in plain words what the tool may do, and does it', async () => {
  const ran = await install('meteo', file('own.json', capabilities))
  assert.equal(ran.code, 0)
  assert.match(ran.stderr, /It\n {2}- sends GET to \S+\/v1\/\n/)
  assert.match(ran.stdout, /^Installed meteo \(sha256 [0-9a-f]{64}\)/)
  assert.match((await atrium(home.path, ['tool', 'list'])).stdout, /meteo/)
})

test('an update that asks for nothing new is taken; one that widens access shows the difference and asks again', async () => {
  assert.equal((await install('meteo', file('same.json', capabilities))).code, 0)
  const wider = structuredClone(capabilities)
  wider.http.allowlist.push({ host: 'api.example.com', path_prefix: '/', methods: ['POST'] })
  const path = file('wider.json', wider)
  const unasked = await install('meteo', path)
  assert.equal(unasked.code, 2)
  assert.match(unasked.stderr, /The update also\n {2}- sends POST to api\.example\.com\/\n/)
  assert.equal((await install('meteo', path, '--yes')).code, 0)
})

const refused: readonly { what: string; args: () => string[]; code: number; says: RegExp }[] = [
  {
    what: 'a name of a built-in tool',
    args: () => ['time', file('a.json', capabilities)],
    code: 2,
    says: /time is the name of a built-in tool/,
  },
  { what: 'a reserved name', args: () => ['memory_x', file('b.json', capabilities)], code: 2, says: /reserved/ },
  {
    what: 'a capability file that is no JSON',
    args: () => ['x', file('c.json', '{')],
    code: 1,
    says: /not valid JSON/,
  },
  {
    what: 'a capability file with a wrong host',
    args: () => [
      'x',
      file('d.json', { ...capabilities, http: { allowlist: [{ host: '*', path_prefix: '/', methods: ['GET'] }] } }),
    ],
    code: 1,
    says: /http\.allowlist\[0\]\.host/,
  },
  {
    what: 'a capability file that is not there',
    args: () => ['x', '/nowhere.json'],
    code: 2,
    says: /there is no \/nowhere\.json/,
  },
]
for (const { what, args, code, says } of refused) {
  test(`${what} is refused in words`, async () => {
    const [name = '', path = ''] = args()
    const ran = await install(name, path, '--yes')
    assert.match(ran.stderr, says)
    assert.equal(ran.code, code)
    assert.doesNotMatch(ran.stderr, /\n\s+at /)
  })
}

const actions = (...ids: string[]): object => ({ ...capabilities, actions: ids.map((id) => ({ id })) })
const clashes: readonly [what: string, name: string, file: object, says: RegExp][] = [
  ['an action that is a built-in tool', 'web', actions('fetch'), /web_fetch is the name of a built-in tool/],
  ['an action under a reserved name', 'memory', actions('write'), /memory_write: names that start with memory_/],
  ['a built-in tool in another spelling', 'Time', capabilities, /Time is the name of a built-in tool/],
  ['a name that looks like another tool’s', 'Meteo', capabilities, /Meteo is, or looks like, a name of the tool meteo/],
  ['an action of another tool', 'two_words', capabilities, /two_words is, or looks like, a name of the tool two/],
  ['two actions that look alike', 'alike', actions('Get', 'get'), /alike_get would be the name of two/],
]
test('a tool cannot take, or look like, the name of another', async () => {
  assert.equal((await install('two', file('two.json', actions('words')), '--yes')).code, 0)
  for (const [what, name, content, says] of clashes) {
    const ran = await install(name, file('clash.json', content), '--yes')
    assert.deepEqual([ran.code, says.test(ran.stderr)], [2, true], `${what}: ${ran.stderr}`)
  }
  await atrium(home.path, ['tool', 'remove', 'two'])
})

test('a tool with actions shows the name and the parameters of each, as the agent calls it', async () => {
  const params = { type: 'object', properties: { title: { type: 'string' } } }
  const both = {
    ...capabilities,
    actions: [
      { id: 'list', read_only: true },
      { id: 'open', description: 'Opens an issue.', params },
    ],
  }
  assert.equal((await install('tracker', file('both.json', both))).code, 0)
  const { stdout } = await atrium(home.path, ['tool', 'info', 'tracker'])
  assert.match(stdout, /^Action tracker_list\nParameters:\n\{[^]+"get_current"/m)
  assert.match(stdout, /^Action tracker_open: Opens an issue\.\nParameters:\n\{[^}]+"title"/m)
  assert.match(stdout, /tool test tracker --context '\{"capability_id":"tracker.list"\}' --params/)
  await atrium(home.path, ['tool', 'remove', 'tracker'])
})

test('nothing of a tool or its file moves the cursor of a terminal', async () => {
  const bad = '\u001b[2J\u009b1A\u202e'
  const path = file('tricks.json', {
    ...capabilities,
    version: `1${bad}`,
    [`x${bad}`]: 1,
    auth: { secret_name: 's', instructions: `do${bad}`, display_name: `it${bad}`, token_hint: bad },
    setup: { required_secrets: [{ name: 'k', prompt: `your master password${bad}` }] },
  })
  const all = [
    await install('tricks', path),
    await atrium(home.path, ['tool', 'test', 'tricks', '--params', bad]),
    await install('tricks', path, '--yes'),
    await install('other', file('torn.json', `{"a${bad}`), '--yes'),
    await atrium(home.path, ['tool', 'list']),
    await atrium(home.path, ['tool', 'info', 'tricks']),
    await atrium(home.path, ['tool', 'auth', 'tricks'], { input: 'hush\n' }),
    await atrium(home.path, ['tool', 'setup', 'tricks'], { input: 'hush\n' }),
  ].map(({ stdout, stderr }) => stdout + stderr)
  // oxlint-disable-next-line no-control-regex
  for (const text of all) assert.doesNotMatch(text, /[\u001b\u009b\u202e]/)
  assert.match(all[6] ?? '', /The tool tricks says:\n {2}do/)
  assert.match(all[7] ?? '', /The tool tricks says:\n {2}your master password/)
  await atrium(home.path, ['tool', 'remove', 'tricks'])
})

test('what is no component is refused', async () => {
  const core = file('core.wasm', '')
  writeFileSync(core, Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]))
  const path = file('e.json', capabilities)
  const ran = await atrium(home.path, ['tool', 'install', core, '--capabilities', path, '--name', 'x', '--yes'])
  assert.equal(ran.code, 1)
  assert.match(ran.stderr, /component/)
})

test('a running service picks up an installed tool, tries it, and offers it while it is on and until it is removed', async () => {
  const script = file('script.json', {
    replies: [
      { when: 'meteo', calls: [{ name: 'meteo', args: { action: 'get_current', city: '' } }] },
      { afterTool: 'meteo', text: 'It said: {{result}}' },
    ],
  })
  await atrium(home.path, ['tool', 'remove', 'meteo'])
  const service = await serve(home.path, { LLM_PROVIDER: 'scripted', LLM_SCRIPT: script })
  const ask = async (): Promise<string> => (await atrium(home.path, ['run', '-m', 'ask meteo'])).stdout
  try {
    assert.match(await ask(), /there is no tool named meteo/)
    assert.equal((await install('meteo', file('f.json', capabilities), '--yes')).code, 0)
    assert.match(await ask(), /'city' must not be empty/)
    const token = readFileSync(join(home.path, 'webui-token'), 'utf8').trim()
    const call = async (method: string, path: string, body: object): Promise<unknown> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const answer = await fetch(`${service.url}/api/tools/meteo${path}`, {
        method,
        headers,
        body: JSON.stringify(body),
      })
      return answer.json()
    }
    assert.equal(((await call('PATCH', '', { enabled: false })) as { enabled: boolean }).enabled, false)
    assert.match(await ask(), /there is no tool named meteo/)
    assert.match((await atrium(home.path, ['tool', 'list'])).stdout, /^meteo \(off\) +\d/m)
    const params = { action: 'get_air_quality', lat: 91, lon: 0 }
    const tried = { output: null, error: "'lat' must be between -90 and 90", logs: [], requests: [], blocked: [] }
    assert.deepEqual(await call('POST', '/test', { params }), tried)
    assert.equal(((await call('PATCH', '', { enabled: true })) as { enabled: boolean }).enabled, true)
    assert.match(await ask(), /'city' must not be empty/)
    assert.equal((await atrium(home.path, ['tool', 'remove', 'meteo'])).code, 0)
    assert.match(await ask(), /there is no tool named meteo/)
  } finally {
    await service.stop()
  }
})

test('a tool that comes with the project stays away once it is removed', async () => {
  assert.equal((await atrium(home.path, ['tool', 'remove', 'weather'])).code, 0)
  await atrium(home.path, ['run', '-m', 'hello'])
  assert.doesNotMatch((await atrium(home.path, ['tool', 'list'])).stdout, /weather/)
  assert.equal((await atrium(home.path, ['tool', 'remove', 'weather'])).code, 1)
})
