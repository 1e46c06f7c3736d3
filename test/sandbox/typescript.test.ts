// Tools in TypeScript, built as users build theirs: the example with a credential and a write, and what a tool reaches of
// the workspace and of other tools.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { operator, userId } from '#core/ids.ts'
import type { Tool } from '#core/tool.ts'
import { createInvoke, createReadWorkspace } from '#app/invoke.ts'
import type { Outgoing } from '#net/dial.ts'
import { createJudge } from '#safety/policy.ts'
import type { LoadedTool } from '#sandbox/supervisor/sandbox.ts'
import { agentTools } from '#sandbox/component-tools.ts'
import { createRig, type Rig } from './rig.ts'
import { builtTool } from './tool-cache.ts'

const folder = mkdtempSync(join(tmpdir(), 'atrium-typescript-'))
const issuesFolder = join(import.meta.dirname, '..', '..', 'tools', 'issues')
/** Two components are built: half a minute of a busy machine. */
const slow = { timeout: 300_000 }
const sent: Outgoing[] = []
const secrets: Record<string, string> = {}
let status = 200
let rig: Rig
let issues: LoadedTool
let reacher: LoadedTool

/** Reads a text, or runs a tool, or gives something odd, as its parameters say. */
const reaching = `import { toolInvoke, workspaceRead } from 'near:agent/host@0.3.0'
import { odd } from "./odd.ts"
export const tool = {
  execute({ params }: { params: string }) {
    const { path, alias, times = 1, args = {}, gives } = JSON.parse(params)
    if (gives !== undefined) return odd[gives]()
    let last: string | null = null
    for (let each = 0; each < times; each++) last = path === undefined ? toolInvoke(alias, JSON.stringify(args)) : workspaceRead(path)
    return { output: JSON.stringify({ last }) }
  },
  schema: () => ({ type: 'object' }),
  description: () => 'Reaches.',
}
`
const odd = `export const odd: Record<string, () => unknown> = {
  object: () => ({ output: { a: 1 } }),
  nothing: () => undefined,
  later: async () => ({ output: '1' }),
  thrown: () => { throw { code: 3 } },
}
`
const ran: unknown[] = []
const toolOf = (name: string, effects: Tool['effects']): Tool => ({
  spec: { name, description: '', parameters: { type: 'object' } },
  effects,
  repeatable: true,
  untrusted: false,
  run(args, { user, tainted, by }) {
    ran.push({ args, user, tainted, by })
    return Promise.resolve(`${name} ran`)
  },
})

before(async () => {
  mkdirSync(join(folder, 'reacher'))
  writeFileSync(join(folder, 'reacher', 'tool.ts'), reaching)
  writeFileSync(join(folder, 'reacher', 'odd.ts'), odd)
  const tools = [toolOf('look', 'read'), toolOf('change', 'write')]
  const set = { byName: new Map(tools.map((tool) => [tool.spec.name, tool])), specs: [] }
  rig = createRig({
    secret: (name) => Promise.resolve(secrets[name]),
    dial(request) {
      sent.push(request)
      const issue = { number: 7, title: 'Hello', state: 'open', html_url: 'https://github.com/a/b/issues/7', body: 'x' }
      const body = Buffer.from(JSON.stringify(request.method === 'GET' ? [issue] : issue))
      return Promise.resolve({ type: 'answer', status, headers: new Map(), body })
    },
    invokeTool: createInvoke({ tools: () => set, judge: createJudge() }),
    readWorkspace: createReadWorkspace({ folderOf: (user) => join(folder, 'users', user), home: join(folder, 'home') }),
  })
  const file = JSON.parse(readFileSync(join(issuesFolder, 'capabilities.json'), 'utf8')) as object
  issues = await rig.load(await builtTool(issuesFolder), file, 'issues')
  const grants = {
    version: '1',
    wit_version: '0.3.0',
    workspace: { allowed_prefixes: ['notes/'] },
    tool_invoke: { aliases: { peek: 'look', poke: 'change', gone: 'nothing' } },
  }
  reacher = await rig.load(await builtTool(join(folder, 'reacher')), grants, 'reacher')
}, slow)
after(async () => {
  await rig.close()
  rmSync(folder, { recursive: true, force: true })
})

const run = (id: string, args: object, readOnly = false): Promise<string> =>
  rig.sandbox.execute(issues, {
    params: JSON.stringify(args),
    context: JSON.stringify({ capability_id: `issues.${id}` }),
    callId: 'c',
    user: operator,
    readOnly,
  })

const reach = async (params: object, more: { user?: typeof operator; by?: string } = {}): Promise<unknown> =>
  JSON.parse(
    await rig.sandbox.execute(reacher, { params: JSON.stringify(params), callId: 'c', user: operator, ...more }),
  )

test('the action that only looks runs unasked, the one that writes is asked for', () => {
  const tools = agentTools(issues, () => Promise.resolve(''))
  assert.deepEqual(
    tools.map(({ spec: { name }, effects }) => [name, effects]),
    [
      ['issues_list', 'read'],
      ['issues_open', 'write'],
    ],
  )
})

const credential = { tool: 'issues', secret: 'github_token', title: 'GitHub', command: 'atrium tool auth issues' }

test('without its token a call names what it lacks; with it the host adds it and nobody sees it', async () => {
  await assert.rejects(run('list', { repository: 'a/b' }), { code: 'credential_missing', credential })
  secrets['github_token'] = 'a-token-of-the-tests'
  sent.length = 0
  const output = await run('list', { repository: 'a/b' })
  assert.deepEqual(JSON.parse(output), {
    issues: [{ number: 7, title: 'Hello', state: 'open', url: 'https://github.com/a/b/issues/7' }],
  })
  assert.equal(sent[0]?.headers.get('authorization'), 'Bearer a-token-of-the-tests')
  assert.equal(JSON.parse(await run('open', { repository: 'a/b', title: 'T' })).number, 7)
  assert.equal(sent.at(-1)?.method, 'POST')
})

test('an action that says it only looks can send nothing else', async () => {
  sent.length = 0
  await assert.rejects(run('open', { repository: 'a/b', title: 'T' }, true), /POST is not an allowed method/)
  assert.equal(sent.length, 0)
})

test('a refused token is told as one, whatever the tool makes of it; not once something was changed', async () => {
  status = 401
  try {
    await assert.rejects(run('list', { repository: 'a/b' }), {
      code: 'credential_refused',
      credential: { ...credential, refused: true },
    })
    await assert.rejects(run('open', { repository: 'a/b', title: 'T' }), { code: 'credential_refused' })
  } finally {
    status = 200
  }
})

test('what a tool throws is its error, in its own words', async () => {
  await assert.rejects(run('list', { repository: 'a b' }), {
    code: 'tool_error',
    message: "'repository' must be a text such as owner/name",
  })
})

test('what a tool gives that is no text is written as JSON, or told in words', async () => {
  assert.deepEqual(await reach({ gives: 'object' }), { a: 1 })
  await assert.rejects(reach({ gives: 'nothing' }), /set neither output nor error/)
  await assert.rejects(reach({ gives: 'later' }), { code: 'tool_error', message: /^execute returned a promise, / })
  await assert.rejects(reach({ gives: 'thrown' }), { code: 'tool_error', message: '{"code":3}' })
  assert.deepEqual(reacher.schema, { type: 'object' })
})

test('a tool reads what its grant names, of the workspace of whoever calls it', async () => {
  const ada = userId('ada')
  for (const user of [operator, ada]) mkdirSync(join(folder, 'users', user, 'notes', 'deep'), { recursive: true })
  writeFileSync(join(folder, 'users', operator, 'notes', 'a.md'), 'of the operator')
  writeFileSync(join(folder, 'users', ada, 'notes', 'deep', 'a.md'), 'of ada')
  writeFileSync(join(folder, 'users', operator, 'private.md'), 'not yours')
  symlinkSync('/etc/passwd', join(folder, 'users', operator, 'notes', 'link'))
  assert.deepEqual(await reach({ path: 'notes/a.md' }), { last: 'of the operator' })
  assert.deepEqual(await reach({ path: 'notes/deep/a.md' }, { user: ada }), { last: 'of ada' })
  for (const path of ['notes/b.md', 'private.md', 'notes/../private.md', 'notes/link', '/etc/passwd', 'notes']) {
    assert.deepEqual(await reach({ path }), { last: null }, path)
  }
})

test('a tool runs another that its grant names and that nobody has to be asked for, as a stranger would', async () => {
  ran.length = 0
  assert.deepEqual(await reach({ alias: 'peek', args: { a: 1 } }), { last: 'look ran' })
  assert.deepEqual(ran, [{ args: '{"a":1}', user: operator, tainted: true, by: 'reacher' }])
  await assert.rejects(reach({ alias: 'poke' }), /change cannot be run by a tool: change may change something/)
  await assert.rejects(reach({ alias: 'look' }), /does not grant the tool/)
  await assert.rejects(reach({ alias: 'gone' }), /there is no tool named nothing/)
  await assert.rejects(reach({ alias: 'peek' }, { by: 'another' }), /cannot run a third/, 'no chain of tools')
  const [narrow] = agentTools(reacher, (call) => rig.sandbox.execute(reacher, call))
  const { signal } = new AbortController()
  const context = { user: operator, threadId: 't', turnId: 'u', callId: 'c', signal, serviceTools: ['reacher'] }
  await assert.rejects(async () => narrow?.run('{"alias":"peek"}', context), /look is not among the tools of this turn/)
  assert.equal(ran.length, 1)
})

test('a call reads and runs fifty times at most', async () => {
  ran.length = 0
  await assert.rejects(reach({ alias: 'peek', times: 60 }), /too many|more than 50/)
  assert.equal(ran.length, 50)
})
