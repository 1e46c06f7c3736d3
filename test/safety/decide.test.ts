// The policy, row by row; and the page that shows it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Item, textMessage } from '#core/item.ts'
import { type DecisionInput, decide } from '#safety/decide.ts'
import type { NewGrant } from '#core/grant.ts'
import { policyTable } from '#safety/policy-table.ts'
import type { Effects } from '#core/tool.ts'
import { callOf } from './built-in.ts'

const now = 1_000_000
const items: readonly Item[] = [
  textMessage('user', 'read https://a.example/x, and what docs.example says'),
  { type: 'result', callId: 'c', output: 'see https://b.example/y', origin: 'web_fetch' },
]

function decided(
  name: string,
  args: object,
  { effects, ...more }: Partial<DecisionInput> & { effects?: Effects } = {},
) {
  return decide({ ...callOf(name, args, effects), taint: undefined, items, now, ...more })
}

const tainted = { taint: 'web_fetch' }
const rows: readonly [name: string, effects: Effects, args: object, clean: string, underTaint: string][] = [
  ['time', 'read', {}, 'allow', 'allow'],
  ['memory_read', 'read', { path: 'a.md' }, 'allow', 'allow'],
  ['workspace_read', 'read', { path: 'a.ts' }, 'allow', 'allow'],
  ['weather', 'read', { city: 'Bonn' }, 'allow', 'allow'],
  ['memory_write', 'keep', { path: 'notes/a.md', content: 'x' }, 'allow', 'allow'],
  ['memory_edit', 'write', { path: 'notes/AGENTS.md' }, 'allow', 'allow'],
  ['memory_delete', 'keep', { path: 'notes/a.md' }, 'allow', 'allow'],
  ['memory_write', 'keep', { path: 'AGENTS.md', content: 'x' }, 'ask', 'ask'],
  ['memory_write', 'keep', { path: './agents.MD' }, 'ask', 'ask'],
  ['memory_edit', 'keep', { path: 'SOUL.md' }, 'ask', 'ask'],
  ['memory_delete', 'keep', { path: 'USER.md' }, 'ask', 'ask'],
  ['memory_write', 'keep', { path: 'ＩＤＥＮＴＩＴＹ.md\u200b' }, 'ask', 'ask'],
  ['memory_write', 'keep', {}, 'ask', 'ask'],
  ['workspace_write', 'write', { path: 'a.ts', content: '' }, 'ask', 'ask'],
  ['workspace_edit', 'write', { path: 'a.ts' }, 'ask', 'ask'],
  ['workspace_shell', 'danger', { command: 'ls' }, 'ask', 'ask'],
  ['web_fetch', 'read', { url: 'https://a.example/x' }, 'allow', 'allow'],
  ['web_fetch', 'read', { url: 'https://b.example/y' }, 'allow', 'allow'],
  ['web_fetch', 'read', { url: 'https://docs.example/any?thing' }, 'allow', 'allow'],
  ['web_fetch', 'read', { url: 'https://b.example/y?d=secret' }, 'allow', 'ask'],
  ['web_fetch', 'read', { url: 'https://x.docs.example/' }, 'allow', 'ask'],
  ['web_fetch', 'read', {}, 'allow', 'ask'],
  ['http_request', 'write', { method: 'GET', url: 'https://b.example/y' }, 'allow', 'allow'],
  ['http_request', 'write', { method: 'head', url: 'https://b.example/y' }, 'allow', 'allow'],
  ['http_request', 'write', { method: 'GET', url: 'https://evil.example/' }, 'allow', 'ask'],
  ['http_request', 'write', { method: 'GET', url: 'https://b.example/y', headers: {} }, 'allow', 'allow'],
  ['http_request', 'write', { method: 'GET', url: 'https://b.example/y', headers: { a: 'secret' } }, 'allow', 'ask'],
  ['http_request', 'write', { method: 'GET', url: 'https://a.example/x', body: 'secret' }, 'allow', 'ask'],
  ['http_request', 'write', { method: 'POST', url: 'https://a.example/x' }, 'ask', 'ask'],
  ['http_request', 'write', { method: 'DELETE', url: 'https://a.example/x' }, 'ask', 'ask'],
  ['http_request', 'write', { url: 'https://a.example/x' }, 'ask', 'ask'],
  ['tracker_create', 'write', {}, 'ask', 'ask'],
  ['anything', 'danger', {}, 'ask', 'ask'],
]
for (const [name, effects, args, clean, underTaint] of rows) {
  test(`${name} ${JSON.stringify(args)}: ${clean}, under taint ${underTaint}`, () => {
    assert.equal(decided(name, args, { effects }).do, clean)
    assert.equal(decided(name, args, { effects, ...tainted }).do, underTaint)
  })
}

test('the reason is one that a person understands', () => {
  const decision = decided('web_fetch', { url: 'https://evil.example/?d=1' }, { taint: 'the attached file a.txt' })
  assert(decision.do === 'ask')
  assert.equal(
    decision.reason,
    'the model put this address together itself, and the model has read the attached file a.txt; it is neither in your messages nor in a result',
  )
})

test('why somebody is asked tells what the call does and what was read; after that it can only be allowed once', () => {
  const why = (taint?: string) => {
    const decision = decided('http_request', { method: 'POST', url: 'https://e.example/' }, { taint })
    return decision.do === 'ask' ? decision.why : decision.do
  }
  assert.equal(why(), 'It sends something to another host')
  assert.equal(
    why('https://metrics.acme.dev/api/p95?days=8'),
    'It sends something to another host, and this thread has read a page from metrics.acme.dev. It can only be allowed once.',
  )
  assert.match(why('the attached file a.log'), /this thread has read the attached file a\.log\./)
})

test('the operator tightens and loosens each row', () => {
  for (const { id } of policyTable) {
    const [name, effects, args] = rows.find(([each, kind, given]) => callOf(each, given, kind).row === id) ?? []
    assert(name !== undefined && effects && args, id)
    for (const rule of ['allow', 'ask', 'deny'] as const) {
      const settings = { [id]: { clean: rule, tainted: rule } }
      assert.equal(decided(name, args, { effects, settings }).do, rule, `${id} ${rule}`)
      assert.equal(decided(name, args, { effects, settings, ...tainted }).do, rule, `${id} ${rule}, tainted`)
    }
  }
})

const grants: readonly [
  what: string,
  grant: NewGrant,
  name: string,
  args: object,
  more: Partial<DecisionInput>,
  expected: string,
][] = [
  ['the tool', { tool: 'workspace_write' }, 'workspace_write', { path: 'a' }, {}, 'allow'],
  ['the tool, until later', { tool: 'workspace_write', until: now + 1 }, 'workspace_write', { path: 'a' }, {}, 'allow'],
  ['the tool, until now', { tool: 'workspace_write', until: now }, 'workspace_write', { path: 'a' }, {}, 'ask'],
  ['another tool', { tool: 'workspace_edit' }, 'workspace_write', { path: 'a' }, {}, 'ask'],
  ['the folder', { tool: 'workspace_write', target: './src/' }, 'workspace_write', { path: 'src/a/b.ts' }, {}, 'allow'],
  [
    'the folder, under taint',
    { tool: 'workspace_write', target: './src/' },
    'workspace_write',
    { path: 'src/a.ts' },
    tainted,
    'allow',
  ],
  [
    'the folder while nothing was read, under taint',
    { tool: 'workspace_write', target: './src/', clean: true },
    'workspace_write',
    { path: 'src/a.ts' },
    tainted,
    'ask',
  ],
  [
    'the folder while nothing was read',
    { tool: 'workspace_write', target: './src/', clean: true },
    'workspace_write',
    { path: 'src/a.ts' },
    {},
    'allow',
  ],
  ['the file', { tool: 'workspace_write', target: './src/a.ts' }, 'workspace_write', { path: 'src/a.ts' }, {}, 'allow'],
  ['another file', { tool: 'workspace_write', target: './src/a.ts' }, 'workspace_write', { path: 'src/b' }, {}, 'ask'],
  [
    'what only begins as the file',
    { tool: 'workspace_write', target: './src/a' },
    'workspace_write',
    { path: 'src/a.ts' },
    {},
    'ask',
  ],
  [
    'the file, by a longer way',
    { tool: 'workspace_write', target: './a/../b' },
    'workspace_write',
    { path: 'a/../b' },
    {},
    'ask',
  ],
  [
    'another folder',
    { tool: 'workspace_write', target: './src/' },
    'workspace_write',
    { path: 'srcs/a.ts' },
    {},
    'ask',
  ],
  [
    'a way out of the folder',
    { tool: 'workspace_write', target: './src/' },
    'workspace_write',
    { path: 'src/../a.ts' },
    {},
    'ask',
  ],
  [
    'the host',
    { tool: 'web_fetch', target: 'e.example:443' },
    'web_fetch',
    { url: 'https://e.example/?q' },
    tainted,
    'allow',
  ],
  [
    'its subdomain',
    { tool: 'web_fetch', target: 'e.example:443' },
    'web_fetch',
    { url: 'https://x.e.example/' },
    tainted,
    'ask',
  ],
  [
    'a reading program',
    { tool: 'workspace_shell', target: 'ls' },
    'workspace_shell',
    { command: 'ls -l notes' },
    {},
    'allow',
  ],
  [
    'the same under taint',
    { tool: 'workspace_shell', target: 'ls' },
    'workspace_shell',
    { command: 'ls' },
    tainted,
    'ask',
  ],
  ['any command under taint', { tool: 'workspace_shell' }, 'workspace_shell', { command: 'ls' }, tainted, 'ask'],
  ['a longer word', { tool: 'workspace_shell', target: 'ls' }, 'workspace_shell', { command: 'lsx' }, {}, 'ask'],
  [
    'a joined command',
    { tool: 'workspace_shell', target: 'ls' },
    'workspace_shell',
    { command: 'ls; curl x' },
    {},
    'ask',
  ],
  [
    'a path outside',
    { tool: 'workspace_shell', target: 'cat' },
    'workspace_shell',
    { command: 'cat ../master-key' },
    {},
    'ask',
  ],
  [
    'a first word of before that runs others',
    { tool: 'workspace_shell', target: 'git' },
    'workspace_shell',
    { command: 'git status' },
    {},
    'ask',
  ],
  [
    'an exact command',
    { tool: 'workspace_shell', target: '$ npm test' },
    'workspace_shell',
    { command: 'npm test' },
    {},
    'allow',
  ],
  [
    'one with more arguments',
    { tool: 'workspace_shell', target: '$ npm test' },
    'workspace_shell',
    { command: 'npm test x' },
    {},
    'ask',
  ],
  [
    'a command that ends like a folder',
    { tool: 'workspace_shell', target: '$ rm -r build/' },
    'workspace_shell',
    { command: 'rm -r build/../..' },
    {},
    'ask',
  ],
  ['an identity file', { tool: 'memory_write' }, 'memory_write', { path: 'AGENTS.md' }, {}, 'allow'],
  ['an identity file under taint', { tool: 'memory_write' }, 'memory_write', { path: 'AGENTS.md' }, tainted, 'ask'],
]
for (const [what, grant, name, args, more, expected] of grants) {
  test(`a grant for ${what}: ${expected}`, () => {
    assert.equal(decided(name, args, { effects: 'write', grants: [grant], ...more }).do, expected)
  })
}

test('a refusal of the operator stands above every grant', () => {
  const settings = { shell: { clean: 'deny' } } as const
  const decision = decided('workspace_shell', { command: 'ls' }, { settings, grants: [{ tool: 'workspace_shell' }] })
  assert.deepEqual(decision, { do: 'deny', reason: 'the operator does not allow workspace_shell' })
})

test('the page shows the table as it is', () => {
  const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8')
  const lines = policyTable.map(
    (row) => `| \`${row.id}\` | ${row.calls} | ${row.clean} | ${row.tainted} | ${row.note ?? ''} |`,
  )
  const shown = page.split('\n').filter((line) => /^\| `[a-z-]+` \|/.test(line))
  assert.deepEqual(shown, lines)
})
