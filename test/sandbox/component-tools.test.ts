// An installed component as the agent sees it: names, actions, effects, errors, credentials, both interface versions.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { userId } from '#core/ids.ts'
import type { Json } from '#core/json.ts'
import type { Tool } from '#core/tool.ts'
import type { Log } from '#lib/log.ts'
import { readCapabilities } from '#sandbox/package/capabilities.ts'
import { agentTools, componentNameFault, effectsOf, schemaSizeFault } from '#sandbox/component-tools.ts'
import { anyPlace, createRig } from './rig.ts'
import { probeComponent, probeSource, scriptedComponent } from './probe.ts'

const young = `${probeSource('near:agent/host@0.4.1')}
export const tool = {
  execute(request) { try { return { tag: 'success', val: run(request) } } catch (error) { return { tag: 'failure', val: { kind: 'operation-failed', code: null, message: say(error) } } } },
  schema: () => '{"type":"object"}', description: () => 'A probe.' }`
const youngWit = `package near:agent@0.4.1;
interface host {
  enum log-level { trace, debug, info, warn, error }
  enum error-kind { auth-required, input, output-too-large, executor, network-denied, client, operation-failed }
  record http-response { status: u16, headers-json: string, body: list<u8> }
  record http-error { kind: error-kind, code: option<string>, message: option<string>, request-sent: bool }
  log: func(level: log-level, message: string);
  now-millis: func() -> u64;
  workspace-read: func(path: string) -> option<string>;
  http-request: func(method: string, url: string, headers-json: string, body: option<list<u8>>, timeout-ms: option<u32>) -> result<http-response, http-error>;
  tool-invoke: func(alias: string, params-json: string) -> result<string, string>;
  secret-exists: func(name: string) -> bool;
}
interface tool {
  use host.{error-kind};
  record request { params: string, context: option<string> }
  record guest-failure { kind: error-kind, code: option<string>, message: option<string> }
  variant response { success(string), failure(guest-failure) }
  execute: func(req: request) -> response;
  schema: func() -> string;
  description: func() -> string;
}
world sandboxed-tool { import host; export tool; }`

const lines: { level: string; tool: unknown; fields: object; message: string }[] = []
const write =
  (level: string) =>
  (fields: object, message: string): number =>
    lines.push({ level, tool: Reflect.get(fields, 'tool'), fields, message })
const log: Log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
const secrets: Record<string, string> = {}
const rig = createRig({
  secrets,
  log,
  readWorkspace: (path) => Promise.resolve(path === 'notes/a.md' ? 'a note' : undefined),
  invokeTool: (name, params) => (name === 'time' ? Promise.resolve(`noon ${params}`) : Promise.reject(new Error('no'))),
})
const components: Record<'old' | 'young', Uint8Array> = { old: new Uint8Array(), young: new Uint8Array() }

before(async () => {
  const work = mkdtempSync(join(tmpdir(), 'atrium-wit-'))
  writeFileSync(join(work, 'a.wit'), youngWit)
  components.old = await probeComponent()
  components.young = await scriptedComponent(young, { witPath: work, wit: youngWit })
  rmSync(work, { recursive: true })
})
after(() => rig.close())

async function make(capabilities: object, version: 'old' | 'young' = 'old'): Promise<Tool[]> {
  const tool = await rig.load(components[version], { version: '1', ...capabilities })
  return agentTools(tool, (call) => rig.sandbox.execute(tool, call))
}

async function run(tool: Tool | undefined, args: Json): Promise<unknown> {
  const context = {
    user: userId('u'),
    threadId: 't',
    turnId: 'n',
    callId: 'call_1',
    signal: new AbortController().signal,
  }
  return JSON.parse((await tool?.run(JSON.stringify(args), context)) ?? 'null')
}

const withSecret = {
  ...anyPlace.http,
  credentials: { main: { secret_name: 'a_token', location: { type: 'bearer' }, host_patterns: ['a.example'] } },
}

for (const version of ['old', 'young'] as const) {
  test(`a component of the ${version} interface does what it can: output, error, request`, async () => {
    const [tool] = await make({ http: anyPlace.http }, version)
    assert.deepEqual(await run(tool, { do: 'context' }), { context: null })
    assert.deepEqual(await run(tool, { url: 'https://a.example/x' }), {
      status: 200,
      headers: { 'x-a': 'b' },
      body: 'hello',
    })
    await assert.rejects(run(tool, { do: 'fail', text: 'City not found: Ü' }), {
      code: 'tool_error',
      message: 'City not found: Ü',
    })
    await assert.rejects(run(tool, { url: 'https://evil.example/' }), /the host evil\.example is not in the allowlist/)
    assert.equal(await run(tool, { do: 'now' }), true)
  })
}

test('a host error of the young interface is a record with kind, code and whether the request was sent', async () => {
  const [tool] = await make({ http: anyPlace.http }, 'young')
  await assert.rejects(
    run(tool, { url: 'https://evil.example/' }),
    /"kind":"network-denied","code":"blocked".*"requestSent":false/,
  )
})

test('parameters reach the component as the model wrote them, and its output comes back as it wrote it', async () => {
  const [tool] = await make({})
  const args = '{ "do": "params", "id": 9007199254740993, "price": 1.10, "id": 1e0 }'
  const context = { user: userId('u'), threadId: 't', turnId: 'n', callId: 'c', signal: new AbortController().signal }
  assert.equal(await tool?.run(args, context), args)
})

test('without actions there is one tool, named as installed', async () => {
  const [tool, ...more] = await make({ http: anyPlace.http })
  assert.deepEqual(
    [tool?.spec.name, tool?.spec.description, tool?.spec.parameters, more.length],
    ['probe', 'A probe.', { type: 'object' }, 0],
  )
  assert.deepEqual([tool?.effects, tool?.repeatable, tool?.untrusted], ['write', false, true])
})

test('each action is a tool of its own and tells the component which it is', async () => {
  const actions = [{ id: 'get', description: 'Gets.', params: { type: 'object', title: 'get' } }, { id: 'list' }]
  const tools = await make({ actions })
  assert.deepEqual(
    tools.map(({ spec }) => [spec.name, spec.description, spec.parameters]),
    [
      ['probe_get', 'Gets.', { type: 'object', title: 'get' }],
      ['probe_list', 'A probe.', { type: 'object' }],
    ],
  )
  assert.deepEqual(await run(tools[1], { do: 'context' }), { context: '{"capability_id":"probe.list"}' })
})

test('a tool that only gets is a read, anything else a write', () => {
  const effects = (methods: string[], more: object = {}): string =>
    effectsOf(
      readCapabilities(
        JSON.stringify({ http: { allowlist: [{ host: 'a.example', path_prefix: '/', methods }] }, ...more }),
      ).capabilities,
    )
  assert.deepEqual(
    [effects(['GET']), effects(['GET', 'HEAD']), effects(['GET', 'POST']), effects(['DELETE'])],
    ['read', 'read', 'write', 'write'],
  )
  assert.equal(effects(['GET'], { tool_invoke: { aliases: { a: 'time' } } }), 'write')
  assert.equal(effectsOf(readCapabilities('{}').capabilities), 'read')
})

test('a missing credential names the secret and the command that sets it', async () => {
  const [tool] = await make({ http: withSecret, auth: { secret_name: 'a_token', display_name: 'A service' } })
  await assert.rejects(run(tool, { url: 'https://a.example/x' }), {
    code: 'credential_missing',
    credential: { tool: 'probe', secret: 'a_token', title: 'A service', command: 'atrium tool auth probe' },
    message: 'probe needs the secret a_token (A service), which is not set: run `atrium tool auth probe` and try again',
  })
  const [other] = await make({ http: withSecret })
  assert.deepEqual(other?.secrets, ['a_token'])
  await assert.rejects(run(other, { url: 'https://a.example/x' }), /run `atrium tool setup probe`/)
})

test('a secret can be tested for only by the names in the file; another name warns', async () => {
  secrets['known'] = 'x'
  const [tool] = await make({ secrets: { allowed_names: ['known', 'unset'] } })
  assert.deepEqual(
    [await run(tool, { do: 'secret', name: 'known' }), await run(tool, { do: 'secret', name: 'unset' })],
    [true, false],
  )
  secrets['hidden'] = 'x'
  assert.equal(await run(tool, { do: 'secret', name: 'hidden' }), false)
  assert.match(lines.at(-1)?.message ?? '', /asked for hidden, which the capability file does not list/)
  assert.equal(lines.at(-1)?.level, 'warn')
})

test('log lines reach the service log after the call, with the tool, masked', async () => {
  const [tool] = await make({})
  await run(tool, { do: 'log', text: `hello sk-${'a'.repeat(30)}` })
  const { level, tool: by, message } = lines.at(-1) ?? {}
  assert.deepEqual({ level, by, message }, { level: 'info', by: 'probe', message: 'hello ***' })
})

test('a request that was not done is in the service log, without its query', async () => {
  const [tool] = await make({ http: anyPlace.http })
  await assert.rejects(run(tool, { url: 'https://evil.example/y?said=this#or-that' }))
  const line = lines.at(-1)
  assert.deepEqual([line?.level, line?.tool], ['warn', 'probe'])
  assert.deepEqual(line?.fields, {
    tool: 'probe',
    callId: 'call_1',
    method: 'GET',
    url: 'https://evil.example/y',
    reason: 'the host evil.example is not in the allowlist',
  })
})

test('the workspace and other tools are denied unless the file grants them', async () => {
  const [bare] = await make({})
  assert.equal(await run(bare, { do: 'read', path: 'notes/a.md' }), null)
  await assert.rejects(run(bare, { do: 'invoke', alias: 'clock' }), /does not grant the tool/)
  const [granted] = await make({
    workspace: { allowed_prefixes: ['notes/'] },
    tool_invoke: { aliases: { clock: 'time', bad: 'other' } },
  })
  assert.equal(await run(granted, { do: 'read', path: 'notes/a.md' }), 'a note')
  assert.equal(await run(granted, { do: 'read', path: 'secret/a.md' }), null)
  assert.equal(await run(granted, { do: 'invoke', alias: 'clock' }), 'noon {"x":1}')
  await assert.rejects(run(granted, { do: 'invoke', alias: 'bad' }), /no/)
  await assert.rejects(run(granted, { do: 'invoke', alias: 'time' }), /does not grant/)
})

test('parameters over 1 MiB are refused before anything runs', async () => {
  const tool = await rig.load(components.old)
  assert.equal(
    (await rig.sandbox.testCall(tool, { params: JSON.stringify('x'.repeat(1_048_577)) })).code,
    'params_too_large',
  )
})

test('a test call tells output, error, logs, requests and what was blocked', async () => {
  const tool = await rig.load(components.old)
  assert.deepEqual(await rig.sandbox.testCall(tool, { params: '{"do":"log","text":"x"}' }), {
    output: '1',
    error: null,
    logs: [{ level: 'info', message: 'x' }],
    requests: [],
    blocked: [],
  })
  const report = await rig.sandbox.testCall(tool, { params: '{"url":"https://evil.example/y"}' })
  assert.deepEqual(report.blocked, [
    { method: 'GET', url: 'https://evil.example/y', reason: 'the host evil.example is not in the allowlist' },
  ])
  assert.equal(report.output, null)
})

test('names', () => {
  assert.equal(componentNameFault('weather', []), undefined)
  for (const name of ['time', 'Time', 'web-fetch']) assert.match(componentNameFault(name, []) ?? '', /built-in/)
  assert.match(componentNameFault('web', [{ id: 'fetch' }]) ?? '', /web_fetch is the name of a built-in/)
  assert.match(componentNameFault('a', [{ id: 'Get' }, { id: 'get' }]) ?? '', /a_get would be the name of two/)
  for (const [name, id] of [
    ['memory', 'write'],
    ['Memory', 'x'],
    ['skill', 'a'],
    ['workspace', 'run'],
  ] as const)
    assert.match(componentNameFault(name, [{ id }]) ?? '', /reserved/, name)
  for (const name of [
    'Memory_x',
    'memory-x',
    '',
    '1a',
    'a b',
    'a.b',
    'x'.repeat(65),
    'memory_x',
    'skill_y',
    'mission_z',
  ])
    assert.equal(typeof componentNameFault(name, []), 'string', name)
  assert.match(componentNameFault('x'.repeat(40), [{ id: 'y'.repeat(40) }]) ?? '', /at most 64/)
})

test('the schemas of all actions together are bounded; an action without its own counts the one of the component', () => {
  const schema = { description: 'x'.repeat(60_000) }
  const action = (id: string, params?: { description: string }) => ({ id, readOnly: false, params })
  const names = ['a', 'b', 'c', 'd']
  assert.equal(schemaSizeFault(schema, []), undefined)
  assert.equal(schemaSizeFault(schema, [action('a'), action('b')]), undefined)
  assert.match(
    String(
      schemaSizeFault(
        schema,
        names.slice(1).map((id) => action(id)),
      ),
    ),
    /3 actions have 180054 bytes/,
  )
  assert.equal(
    schemaSizeFault(
      schema,
      names.map((id) => action(id, { description: id })),
    ),
    undefined,
  )
})
