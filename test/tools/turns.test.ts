// The built-in tools in whole turns: over the gateway, the Responses API and the webhook, a real folder and a real server.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type UserId, operator } from '#core/ids.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { createBuiltInTools } from '#tools/built-in-tools.ts'
import { calls, type Say, says } from '../doors/test-app.ts'
import { completedJob, openHouse } from '../doors/web/house.ts'
import { openHouse as openWebhook } from '../doors/webhook/house.ts'
import { openSite } from './rig.ts'

async function hands(t: TestContext) {
  const base = mkdtempSync(join(tmpdir(), 'atrium-hands-'))
  t.after(() => rmSync(base, { recursive: true, force: true }))
  const folderOf = (user: UserId) => join(base, user === operator ? 'operator' : encodeURIComponent(user))
  mkdirSync(folderOf(operator))
  writeFileSync(join(folderOf(operator), 'list.md'), 'milk\neggs\n')
  const site = await openSite(t, (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Tides</title><p>High water at noon.</p>'),
  )
  const tools = createBuiltInTools({
    now: Date.now,
    fetch: site.fetch,
    refusal: site.refusal,
    folderOf,
    home: join(base, 'home'),
    shell: true,
    scan: () => createLeakScan(),
  })
  return { base, site, tools, file: (user: UserId, name: string) => join(folderOf(user), name) }
}

/** Calls once, then says what came of it. */
function callOnce(name: string, args: object): Say {
  return ({ items }) => {
    const last = items.at(-1)
    return last?.type === 'result' ? says(`it said: ${last.output}`) : calls(name, args)
  }
}

test('a change of a file waits with its diff, and is made once it is allowed', async (t) => {
  const { tools, file } = await hands(t)
  const say = callOnce('workspace_edit', { path: 'list.md', find: 'eggs', replace: 'tea' })
  const { call } = await openHouse(t, { tools, say })
  const { json } = await call('POST', '/api/chat', { body: { message: 'tea instead of eggs' } })
  assert.deepEqual([json.status, json.gate.name], ['waiting', 'workspace_edit'])
  const diff = '--- list.md\n+++ list.md\n@@ -1,2 +1,2 @@\n milk\n-eggs\n+tea'
  assert.deepEqual(json.gate.preview, { type: 'diff', path: 'list.md', diff })
  assert.equal(json.gate.question.text, 'Change list.md?')
  assert.deepEqual((await call('GET', '/api/gates')).json.gates[0].preview, json.gate.preview)
  assert.equal(readFileSync(file(operator, 'list.md'), 'utf8'), 'milk\neggs\n')
  await call('POST', `/api/threads/${json.thread_id}/gates/${json.gate.id}`, { body: { action: 'approve' } })
  const job = await completedJob({ call }, json.turn_id)
  assert.equal(job.json.response, 'it said: edited: list.md (1 place)')
  assert.equal(readFileSync(file(operator, 'list.md'), 'utf8'), 'milk\ntea\n')
})

test('what is asked for shows the command or the request; what is denied is not done', async (t) => {
  const { tools, file, site } = await hands(t)
  const asked = [
    [
      'workspace_shell',
      { command: 'touch made' },
      { type: 'command', command: 'touch made', cwd: 'the workspace', timeout_secs: 60 },
    ],
    [
      'http_request',
      { method: 'DELETE', url: `${site.url}/x`, headers: { 'X-A': 'b' } },
      { type: 'request', method: 'DELETE', url: `${site.url}/x`, headers: { 'x-a': 'b' } },
    ],
    [
      'workspace_write',
      { path: 'made', content: 'x' },
      {
        type: 'diff',
        path: 'made',
        diff: '--- /dev/null\n+++ made\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file',
      },
    ],
  ] as const
  for (const [name, args, preview] of asked) {
    const { call } = await openHouse(t, { tools, say: callOnce(name, args) })
    const { json } = await call('POST', '/api/chat', { body: { message: 'go' } })
    assert.deepEqual(json.gate.preview, preview)
    await call('POST', `/api/threads/${json.thread_id}/gates/${json.gate.id}`, { body: { action: 'deny' } })
  }
  assert.ok(!existsSync(file(operator, 'made')))
  assert.deepEqual(site.seen, [])
})

test('nobody is asked for a change that cannot be made: the model hears why', async (t) => {
  const { tools } = await hands(t)
  const wrong = [
    ['workspace_edit', { path: 'list.md', find: 'bread', replace: 'x' }, /find does not occur in list\.md/],
    ['workspace_write', { path: '../x', content: '' }, /path must not have \.\./],
    ['workspace_shell', { cmd: 'ls' }, /cmd is not a parameter/],
    ['http_request', { method: 'POST', url: 'nowhere' }, /url: the URL is not of the form/],
    [
      'http_request',
      { method: 'POST', url: 'http://10.0.0.1/' },
      /10\.0\.0\.1 is a private address; .*ATRIUM_PRIVATE_HOSTS/,
    ],
    ['http_request', { method: 'PUT', url: 'http://localhost:1/' }, /localhost is a loopback address/],
  ] as const
  for (const [name, args, words] of wrong) {
    const { call } = await openHouse(t, { tools, say: callOnce(name, args) })
    const { json } = await call('POST', '/api/chat', { body: { message: 'go' } })
    assert.equal(json.status, 'completed', JSON.stringify(json))
    assert.match(json.response, words)
  }
})

test('through the Responses API: a page is read and its words are fenced', async (t) => {
  const { tools, site } = await hands(t)
  const prompts: string[] = []
  const once = callOnce('web_fetch', { url: `${site.url}/tides` })
  const { call } = await openHouse(t, {
    tools,
    say(request, signal) {
      prompts.push(JSON.stringify(request.items))
      return once(request, signal)
    },
  })
  const body = { model: 'test-1', input: `what does ${site.url}/tides say?` }
  const { json } = await call('POST', '/api/v1/responses', { body })
  assert.equal(json.status, 'completed')
  assert.match(JSON.stringify(json.output.at(-1)), /Title: Tides.*High water at noon\./)
  assert.match(prompts.at(-1) ?? '', /<untrusted-content id=\\"\w+\\" from=\\"http:[^>]*\/tides\\">/)
})

test('through the webhook: a sender has a folder of their own', async (t) => {
  const { tools, base } = await hands(t)
  const house = await openWebhook(t, { tools, say: callOnce('workspace_list', {}) })
  const sent = await house.post({ user_id: 'eve', message: 'what is there?' })
  const done = await house.completed(sent.json.job_id)
  assert.match(JSON.stringify(done.json), /The workspace is empty/)
  assert.ok(existsSync(join(base, encodeURIComponent('webhook:eve'))))
})
