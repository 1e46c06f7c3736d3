// An approval in words: what each kind of call asks, and that nothing of it is cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { questionOf } from '#doors/terminal/asking.ts'
import type { GateFields } from '#doors/web/wire/gate.ts'
import { askingOf, whyAsked, pretty } from '../../web/lib/asking.ts'

const gate = (name: string, args: unknown, preview?: string): GateFields => ({
  kind: 'approval',
  name,
  args,
  prompt: `Run ${name}?`,
  ...(preview !== undefined && { preview }),
})

const diff =
  '--- src/pricing.ts\n+++ src/pricing.ts\n@@ -41,4 +41,5 @@\n same\n-old one\n-old two\n+new one\n+new two\n+new three\n same'

const questions: readonly [what: GateFields, question: string, sentence: RegExp][] = [
  [
    gate('workspace_edit', { path: 'src/pricing.ts' }, diff),
    'Change src/pricing.ts?',
    /^Replaces 2 lines with 3 .* untouched/,
  ],
  [
    gate('workspace_write', { path: 'a.md' }, '--- /dev/null\n+++ a.md\n@@ -0,0 +1 @@\n+x'),
    'Create a.md?',
    /^Writes 1 line to a new file/,
  ],
  [
    gate('workspace_shell', { command: 'npm publish' }, '$ npm publish\n(in the workspace)'),
    'Run npm publish?',
    /Nothing has run yet/,
  ],
  [
    gate('http_request', { method: 'POST', url: 'https://api.github.com/x' }, 'POST https://api.github.com/x\n\n{}'),
    'Send a POST request to api.github.com?',
    /Nothing has been sent yet/,
  ],
  [
    gate('http_request', { method: 'POST', url: 'https://api.github.com/repos/acme/shop/issues' }),
    'Open an issue in acme/shop on GitHub?',
    /^Sends this request to api\.github\.com\./,
  ],
  [
    gate('http_request', { method: 'POST', url: 'https://api.github.com.evil.example/repos/acme/shop/issues' }),
    'Send a POST request to api.github.com.evil.example?',
    /Nothing has been sent yet/,
  ],
  [
    gate('http_request', { method: 'DELETE', url: 'https://api.github.com/repos/acme/shop/issues' }),
    'Send a DELETE request to api.github.com?',
    /Nothing has been sent yet/,
  ],
  [
    gate('http_request', { method: 'put', url: 'https://example.com/a' }),
    'Send a PUT request to example.com?',
    /Nothing has been sent yet/,
  ],
  [gate('web_fetch', { url: 'https://example.com/a' }), 'Open a page of example.com?', /Nothing has been sent yet/],
  [gate('memory_write', { path: 'people/nadia.md' }), 'Write memory people/nadia.md?', /untouched/],
  [gate('memory_delete', { path: 'a.md' }), 'Delete memory a.md?', /untouched/],
  [gate('crm_send', { to: 'ada' }), 'Run crm_send?', /Nothing has happened yet/],
  [gate('crm_send', 'no JSON at all'), 'Run crm_send?', /Nothing has happened yet/],
  [
    {
      ...gate('calendar_list', {}),
      kind: 'credential',
      prompt: 'calendar needs the secret calendar_token, which is not set',
      credential: { tool: 'calendar', secret: 'calendar_token', title: 'Google Calendar' },
    },
    'Sign in to Google Calendar?',
    /^calendar_list needs calendar_token, which is not set\. Nothing has happened yet; the turn goes on/,
  ],
  [
    {
      ...gate('calendar_list', {}),
      kind: 'credential',
      prompt: 'the service behind calendar refused the secret calendar_token (401)',
      credential: { tool: 'calendar', secret: 'calendar_token' },
    },
    'Sign in to calendar?',
    /calendar_token, which was refused\./,
  ],
]
for (const [what, question, sentence] of questions) {
  test(`asked: ${question}`, () => {
    const asking = askingOf(what)
    assert.equal(asking.question, question)
    assert.match(asking.sentence, sentence)
    const { args, ...rest } = what
    const inTerminal = questionOf({ ...rest, args: JSON.stringify(args) })
    assert.equal(inTerminal.replaceAll('`', ''), question, 'the terminal asks the same')
  })
}

test('why somebody is asked tells what the call does and what was read; after that it can only be allowed once', () => {
  const why = (reason: string, taint?: string) =>
    whyAsked({ ...gate('http_request', {}), reason, ...(taint !== undefined && { taint }) })
  assert.equal(why('http_request sends something to another host'), 'It sends something to another host')
  const page = 'https://metrics.acme.dev/api/p95?days=8'
  assert.equal(
    why(`http_request sends something to another host, and the model has read ${page}`, page),
    'It sends something to another host, and this thread has read a page from metrics.acme.dev. It can only be allowed once.',
  )
  const file = 'the attached file a.log'
  assert.match(why(`x, and the model has read ${file}`, file), /this thread has read the attached file a\.log\./)
})

test('a diff has its lines with their numbers and signs', () => {
  const { preview } = askingOf(gate('workspace_edit', { path: 'src/pricing.ts' }, diff))
  assert(preview?.type === 'diff')
  assert.equal(preview.path, 'src/pricing.ts')
  assert.deepEqual(
    preview.lines.map(({ sign, at, text }) => `${sign}${at} ${text}`),
    [' 41 same', '-42 old one', '-43 old two', '+42 new one', '+43 new two', '+44 new three', ' 45 same'],
  )
})

test('whatever would run is shown to its last letter', () => {
  const body = 'x'.repeat(20_000)
  const request = askingOf(
    gate('http_request', { method: 'PUT', url: 'https://a.b/c' }, `PUT https://a.b/c\nx-y: z\n\n${body}`),
  ).preview
  assert.deepEqual(request, { type: 'request', method: 'PUT', url: 'https://a.b/c', rest: `x-y: z\n\n${body}` })
  const command = `echo ${body}\nrm -rf /`
  const run = askingOf(gate('workspace_shell', { command }, `$ ${command}\n(in the workspace)`))
  assert.deepEqual(run.preview, { type: 'command', command, rest: '(in the workspace)' })
  assert.equal(run.question, 'Run a command that begins with echo?')
  const other = askingOf(gate('crm_send', { note: body })).preview
  assert(other?.type === 'text' && other.text.includes(body))
})

test('what can be allowed for longer goes from narrow to wide', () => {
  const words = (what: GateFields) => askingOf(what).scopes.map(({ scope, words: text }) => `${scope}: ${text}`)
  assert.deepEqual(words(gate('http_request', { url: 'https://a.b:8443/c' })), [
    'target: to a.b:8443',
    'tool: to any host',
  ])
  assert.deepEqual(words(gate('workspace_write', { path: 'docs/a.md' })), [
    'file: on docs/a.md',
    'target: in docs/',
    'tool: anywhere in the workspace',
  ])
  assert.deepEqual(words(gate('memory_write', { path: 'USER.md' })), ['file: on USER.md', 'tool: on any document'])
  assert.deepEqual(words(gate('crm_send', {})), ['tool: whatever it is given'])
})

test('few arguments stand on one line, many below each other, what is no JSON as it is', () => {
  assert.equal(pretty({ url: 'https://a.example/', days: [7, 8] }), '{ "url": "https://a.example/", "days": [ 7, 8 ] }')
  assert.equal(pretty({ text: 'a\nb' }), '{ "text": "a\\nb" }')
  assert.equal(pretty({ text: 'x'.repeat(60) }), `{\n  "text": "${'x'.repeat(60)}"\n}`)
  assert.equal(pretty('no json'), 'no json')
})
