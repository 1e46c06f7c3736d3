// What a grant is made of, and when there can be none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewGrant } from '#core/grant.ts'
import { reachInParams } from '#core/tool.ts'
import { covers, grantFor, scopesOf, targetOf } from '#safety/grant-rules.ts'

const call = { name: 'web_fetch', reach: { type: 'url', url: 'https://a.example/x' } } as const
const clean = { now: 5, taint: undefined }

test('a grant has a scope and an end', () => {
  assert.deepEqual(grantFor(call, { scope: 'tool', for: 'good' }, clean), { tool: 'web_fetch' })
  assert.deepEqual(grantFor(call, { scope: 'target', for: 'hour' }, clean), {
    tool: 'web_fetch',
    target: 'a.example:443',
    until: 3_600_005,
  })
  assert.deepEqual(grantFor(call, { scope: 'tool', for: 'day' }, clean), { tool: 'web_fetch', until: 86_400_005 })
  const write = { name: 'workspace_write', reach: { type: 'path', path: 'src/a.ts' } } as const
  assert.deepEqual(grantFor(write, { scope: 'file', for: 'good', untrusted: false }, clean), {
    tool: 'workspace_write',
    target: './src/a.ts',
    clean: true,
  })
  assert.match(JSON.stringify(grantFor(call, { scope: 'file', for: 'good' }, clean)), /no host, folder, file/)
})

test('a call made under taint can only be allowed once', () => {
  for (const scope of ['tool', 'target'] as const) {
    assert.match(
      JSON.stringify(grantFor(call, { scope, for: 'hour' }, { now: 5, taint: 'a page' })),
      /has read a page.*only be allowed once/,
    )
  }
})

test('what has no target cannot be granted by target', () => {
  assert.match(
    JSON.stringify(grantFor({ name: 'x', reach: undefined }, { scope: 'target', for: 'day' }, clean)),
    /no host, folder/,
  )
})

for (const [args, target] of [
  [{ url: 'https://A.example/x' }, 'a.example:443'],
  [{ url: 'http://a.example:8080/' }, 'a.example:8080'],
  [{ url: 'https://u:p@a.example/' }, undefined],
  [{ url: 'file:///x' }, undefined],
  [{ url: 'nothing' }, undefined],
  [{ path: 'a.ts' }, './'],
  [{ path: 'src/b/a.ts' }, './src/b/'],
  [{ path: '/etc/passwd' }, undefined],
  [{ path: 'a/../b' }, undefined],
  [{ path: 'a\\b' }, undefined],
  [{ command: 'git push' }, '$ git push'],
  [{ command: 'git log | sh' }, '$ git log | sh'],
  [{ command: 'ls' }, '$ ls'],
  [{ command: 'npm test\nrm x' }, undefined],
  [{ command: 'ls \u202e' }, undefined],
  [{ command: ' ' }, undefined],
  [{ command: `echo ${'x'.repeat(500)}` }, undefined],
  [{}, undefined],
] as const) {
  test(`the target of ${JSON.stringify(args)} is ${target}`, () => {
    assert.equal(targetOf(reachInParams(JSON.stringify(args))), target)
  })
}

const scopes: readonly [what: string, reach: Parameters<typeof scopesOf>[0], words: readonly string[]][] = [
  ['a host', { type: 'url', url: 'https://a.b:8443/c' }, ['target: to a.b:8443', 'tool: to any host']],
  ['an address that names its user', { type: 'url', url: 'https://u:p@a.b/' }, ['tool: to any host']],
  [
    'a file of the workspace',
    { type: 'path', path: 'docs/a.md', in: 'workspace' },
    ['file: on docs/a.md', 'target: in docs/', 'tool: anywhere in the workspace'],
  ],
  // A folder stands for what is below it: the first one would be all of them.
  [
    'a document at the root',
    { type: 'path', path: 'USER.md', in: 'memory' },
    ['file: on USER.md', 'tool: on any document'],
  ],
  [
    'a path with a second reading',
    { type: 'path', path: 'a/../b', in: 'workspace' },
    ['tool: anywhere in the workspace'],
  ],
  [
    'a command',
    { type: 'command', command: 'npm test', in: 'workspace' },
    ['target: for exactly this command', 'tool: for any command'],
  ],
  [
    'a command that only reads',
    { type: 'command', command: 'ls notes', in: 'workspace' },
    ['target: for ls, reading in the workspace', 'tool: for any command'],
  ],
  [
    'a command of a component',
    { type: 'command', command: 'ls notes' },
    ['target: for exactly this command', 'tool: for any command'],
  ],
  ['two lines of commands', { type: 'command', command: 'npm test\nrm x' }, ['tool: for any command']],
  ['nothing that is known', undefined, ['tool: whatever it is given']],
]
for (const [what, reach, words] of scopes) {
  test(`what can be allowed for longer of ${what}, from narrow to wide, is what is granted`, () => {
    const offered = scopesOf(reach, undefined)
    assert.deepEqual(
      offered.map(({ scope, words: text }) => `${scope}: ${text}`),
      words,
    )
    for (const { scope, target } of offered) {
      const grant = grantFor({ name: 'x', reach }, { scope, for: 'good' }, clean)
      const only = reach?.type === 'command' ? { clean: true } : {}
      assert.deepEqual(grant, { tool: 'x', ...(target !== undefined && { target }), ...only })
    }
    assert.deepEqual(scopesOf(reach, 'a page'), [])
  })
}

test('without a scope the narrower grant is made, and none where the target cannot be told', () => {
  assert.deepEqual(grantFor(call, { for: 'good' }, clean), { tool: 'web_fetch', target: 'a.example:443' })
  assert.deepEqual(grantFor({ name: 'x', reach: undefined }, { for: 'good' }, clean), { tool: 'x' })
  const odd = { name: 'x', reach: reachInParams('{"url":5}') }
  assert.match(JSON.stringify(grantFor(odd, { for: 'good' }, clean)), /no host/)
})

test('a command cannot be granted for prompts with outside text; every other call can', () => {
  const command = { name: 'workspace_shell', reach: { type: 'command', command: 'ls', in: 'workspace' } } as const
  for (const scope of ['tool', 'target'] as const) {
    const request = { scope, for: 'good', untrusted: true } as const
    assert.match(JSON.stringify(grantFor(command, request, clean)), /cannot be allowed for turns that have read/)
    assert.equal(typeof grantFor(call, request, clean), 'object')
  }
  const cleanOf = (reach: Parameters<typeof scopesOf>[0]): unknown[] =>
    scopesOf(reach, undefined).map((scope) => scope.clean ?? false)
  assert.deepEqual(
    [cleanOf(command.reach), cleanOf(call.reach)],
    [
      [true, true],
      [false, false],
    ],
  )
})

test('an address that is too long to be parsed is covered by no grant for a host', () => {
  const reach = { type: 'url', url: `https://a.example/${'x'.repeat(1_000_000)}` } as const
  const covered = (grant: NewGrant) => covers(grant, { name: 'web_fetch', reach }, 5)
  assert.deepEqual(
    [covered({ tool: 'web_fetch', target: 'a.example:443' }), covered({ tool: 'web_fetch' })],
    [false, true],
  )
  assert.deepEqual(
    scopesOf(reach, undefined).map(({ scope }) => scope),
    ['tool'],
  )
})
