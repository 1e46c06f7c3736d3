// An approval in words: what each kind of call asks, the same on every surface, and that nothing of it is cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Gate } from '#core/item.ts'
import { previewLines, questionLine } from '#doors/terminal/gate-lines.ts'
import { gateWire } from '#doors/web/gate-wire.ts'
import { GateWire } from '#doors/web/wire/gate.ts'
import { previewText } from '#safety/gate-question.ts'
import { changeQuestion } from '#tools/workspace/change-question.ts'
import { diffLines, isNewFile, formatArgs, requestRest } from '../../web/lib/preview.ts'
import { gateAsking } from '../safety/gate-asking.ts'

const asking = (name: string, args: unknown): Promise<Gate> => gateAsking(name, JSON.stringify(args))
const signIn = (prompt: string, credential: Gate['credential'] & object): Gate => ({
  type: 'gate',
  callId: 'c',
  kind: 'credential',
  name: 'calendar_list',
  args: '{}',
  prompt,
  credential,
})
const changing = async (path: string, before: string | undefined, after: string): Promise<Gate> => ({
  ...(await asking('x', {})),
  asks: changeQuestion(path, { before, after }),
})

const lines = 'same\n'.repeat(41)
const before = `${lines}old one\nold two\nsame\n`
const after = `${lines}new one\nnew two\nnew three\nsame\n`

const questions: readonly [gate: Gate, question: string, sentence: RegExp][] = [
  [await changing('src/pricing.ts', before, after), 'Change src/pricing.ts?', /^Replaces 2 lines with 3 .* untouched/],
  [await changing('a.md', undefined, 'x'), 'Create a.md?', /^Writes 1 line to a new file/],
  [await changing('a.md', '', 'x\ny'), 'Change a.md?', /^Adds 2 lines in/],
  [await changing('a.md', 'x\n', ''), 'Change a.md?', /^Removes 1 line in/],
  [await changing('a.md', 'x', 'x'), 'Change a.md?', /^Changes a file in the workspace folder\. The file is untouched/],
  [await asking('workspace_shell', { command: 'npm publish' }), 'Run npm publish?', /Nothing has run yet/],
  [
    await asking('http_request', { method: 'POST', url: 'https://api.github.com/x', body: '{}' }),
    'Send a POST request to api.github.com?',
    /Nothing has been sent yet/,
  ],
  [
    await asking('http_request', { method: 'POST', url: 'https://api.github.com/repos/acme/shop/issues' }),
    'Open an issue in acme/shop on GitHub?',
    /^Sends this request to api\.github\.com\./,
  ],
  [
    await asking('http_request', { method: 'POST', url: 'https://api.github.com.evil.example/repos/acme/shop/issues' }),
    'Send a POST request to api.github.com.evil.example?',
    /Nothing has been sent yet/,
  ],
  [
    await asking('http_request', { method: 'DELETE', url: 'https://api.github.com/repos/acme/shop/issues' }),
    'Send a DELETE request to api.github.com?',
    /Nothing has been sent yet/,
  ],
  [
    await asking('http_request', { method: 'PUT', url: 'https://example.com/a' }),
    'Send a PUT request to example.com?',
    /Nothing has been sent yet/,
  ],
  [
    await asking('web_fetch', { url: 'https://example.com/a' }),
    'Open a page of example.com?',
    /Nothing has been sent yet/,
  ],
  [
    await asking('memory_write', { path: 'people/nadia.md', content: 'x' }),
    'Write memory people/nadia.md?',
    /untouched/,
  ],
  [await asking('memory_edit', { path: 'kept.md', find: 'old', replace: 'new' }), 'Write memory kept.md?', /untouched/],
  [await asking('memory_delete', { path: 'kept.md' }), 'Delete memory kept.md?', /untouched/],
  [await asking('crm_send', { to: 'ada' }), 'Run crm_send?', /Nothing has happened yet/],
  [await asking('crm_send', 'no JSON at all'), 'Run crm_send?', /Nothing has happened yet/],
  [
    signIn('calendar needs the secret calendar_token, which is not set', {
      tool: 'calendar',
      secret: 'calendar_token',
      title: 'Google Calendar',
    }),
    'Sign in to Google Calendar?',
    /^calendar_list needs calendar_token, which is not set\. Nothing has happened yet; the turn goes on/,
  ],
  [
    signIn('the service behind calendar refused the secret calendar_token (401)', {
      tool: 'calendar',
      secret: 'calendar_token',
      refused: true,
    }),
    'Sign in to calendar?',
    /calendar_token, which was refused\./,
  ],
]
for (const [gate, question, sentence] of questions) {
  test(`asked: ${question}`, () => {
    const wire = gateWire(gate)
    assert.equal(wire.question.text, question)
    assert.match(wire.question.sentence, sentence)
    assert.equal(questionLine(gate).replaceAll('`', ''), question, 'the terminal asks the same')
    assert(GateWire.safeParse(wire).success, 'as the schema says')
  })
}

test('a diff has its lines with their numbers and signs', async () => {
  const { preview } = gateWire(await changing('src/pricing.ts', before, after))
  assert(preview.type === 'diff' && !isNewFile(preview.diff))
  assert.equal(preview.path, 'src/pricing.ts')
  assert.deepEqual(
    diffLines(preview.diff).map(({ sign, at, text }) => `${sign}${at} ${text}`),
    [
      ' 39 same',
      ' 40 same',
      ' 41 same',
      '-42 old one',
      '-43 old two',
      '+42 new one',
      '+43 new two',
      '+44 new three',
      ' 45 same',
    ],
  )
  const { preview: made } = gateWire(await changing('a.md', undefined, 'x'))
  assert(made.type === 'diff' && isNewFile(made.diff))
})

test('whatever would run is shown to its last letter', async () => {
  const body = 'x'.repeat(20_000)
  const request = gateWire(
    await asking('http_request', { method: 'PUT', url: 'https://a.b/c', headers: { 'X-Y': 'z' }, body }),
  ).preview
  const sent = { type: 'request', method: 'PUT', url: 'https://a.b/c', headers: { 'x-y': 'z' }, body } as const
  assert.deepEqual(request, sent)
  assert.equal(requestRest(sent), `x-y: z\n\n${body}`)
  const command = `echo ${body.slice(0, 10_000)}\nrm -rf /`
  const run = gateWire(await asking('workspace_shell', { command }))
  assert.deepEqual(run.preview, { type: 'command', command, cwd: 'the workspace', timeout_secs: 60 })
  assert.deepEqual([run.question.text, run.question.code], ['Run a command that begins with echo?', 'echo'])
  const other = gateWire(await asking('crm_send', { note: body })).preview
  assert.deepEqual(other, { type: 'arguments', fields: { note: body } })
})

test('a document of memory is shown as it would be, or by what would change', async () => {
  const preview = async (name: string, args: object) => gateWire(await asking(name, args)).preview
  const made = { type: 'document', path: 'USER.md', content: 'I am Ada' }
  assert.deepEqual(await preview('memory_write', { path: 'USER.md', content: 'I am Ada' }), made)
  const diff = '--- kept.md\n+++ kept.md\n@@ -1,1 +1,1 @@\n-old\n+new'
  const edit = { path: 'kept.md', find: 'old', replace: 'new' }
  assert.deepEqual(await preview('memory_edit', edit), { type: 'document', path: 'kept.md', diff })
  const more = { path: 'kept.md', content: 'more\n', append: true }
  assert.deepEqual(await preview('memory_write', more), {
    type: 'document',
    path: 'kept.md',
    diff: '--- kept.md\n+++ kept.md\n@@ -1,1 +1,2 @@\n old\n+more',
  })
  const gone = await asking('memory_delete', { path: 'kept.md' })
  assert.match(previewLines(gone).join('\n'), /\n-old$/)
  await assert.rejects(preview('memory_delete', { path: 'none.md' }), /there is no document none\.md/)
})

test('a gate of an earlier version is shown by its arguments, and granted by their names', () => {
  const old = { type: 'gate', callId: 'c', kind: 'approval', name: 'workspace_write', prompt: 'Run?' } as const
  const stored = { ...old, args: '{"path":"docs/a.md","content":"x"}', preview: '--- /dev/null\n+++ docs/a.md' }
  const wire = gateWire(stored)
  assert.equal(wire.question.text, 'Run workspace_write?')
  assert.deepEqual(wire.preview, { type: 'arguments', fields: { path: 'docs/a.md', content: 'x' } })
  assert.deepEqual(
    wire.scopes.map(({ scope, target }) => [scope, target]),
    [
      ['file', './docs/a.md'],
      ['target', './docs/'],
      ['tool', undefined],
    ],
  )
})

test('a gate says whether it can be allowed for longer, and for what', async () => {
  const offered = async (name: string, args: object, more: Partial<Gate> = {}) => {
    const { always, scopes } = gateWire({ ...(await asking(name, args)), ...more })
    return [always, ...scopes.map(({ scope, words }) => `${scope}: ${words}`)]
  }
  const post = { method: 'POST', url: 'https://a.b:8443/c' }
  assert.deepEqual(await offered('http_request', post), [true, 'target: to a.b:8443', 'tool: to any host'])
  assert.deepEqual(await offered('http_request', post, { taint: 'a page' }), [false])
  assert.deepEqual(await offered('memory_write', { path: 'USER.md', content: '' }), [
    true,
    'file: on USER.md',
    'tool: on any document',
  ])
  assert.deepEqual(await offered('workspace_shell', { command: 'npm test; rm x' }), [
    true,
    'target: for exactly this command',
    'tool: for any command',
  ])
  assert.deepEqual(await offered('crm_send', {}), [true, 'tool: whatever it is given'])
  assert.deepEqual(await offered('crm_send', {}, { kind: 'credential' }), [false])
})

test('a preview reads the same as text', async () => {
  const text = async (name: string, args: object) => {
    const { preview } = (await asking(name, args)).asks ?? {}
    return preview && previewText(preview)
  }
  const url = 'https://a.b/c'
  assert.equal(
    await text('http_request', { method: 'POST', url, headers: { A: 'b' }, body: 'c' }),
    `POST ${url}\na: b\n\nc`,
  )
  assert.equal(await text('web_fetch', { url }), `GET ${url}`)
  assert.equal(await text('workspace_shell', { command: 'ls' }), '$ ls\n(in the workspace, for at most 60 seconds)')
})

test('few arguments stand on one line, many below each other, what is no JSON as it is', () => {
  assert.equal(
    formatArgs({ url: 'https://a.example/', days: [7, 8] }),
    '{ "url": "https://a.example/", "days": [ 7, 8 ] }',
  )
  assert.equal(formatArgs({ text: 'a\nb' }), '{ "text": "a\\nb" }')
  assert.equal(formatArgs({ text: 'x'.repeat(60) }), `{\n  "text": "${'x'.repeat(60)}"\n}`)
  assert.equal(formatArgs('no json'), 'no json')
})
