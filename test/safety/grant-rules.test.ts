// What a grant is made of, and when there can be none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { grantFor, targetOf } from '#safety/grant-rules.ts'

const call = { name: 'web_fetch', args: '{"url":"https://a.example/x"}' }
const clean = { now: 5, taint: undefined }

test('a grant has a scope and an end', () => {
  assert.deepEqual(grantFor(call, { scope: 'tool', for: 'good' }, clean), { tool: 'web_fetch' })
  assert.deepEqual(grantFor(call, { scope: 'target', for: 'hour' }, clean), {
    tool: 'web_fetch',
    target: 'a.example:443',
    until: 3_600_005,
  })
  assert.deepEqual(grantFor(call, { scope: 'tool', for: 'day' }, clean), { tool: 'web_fetch', until: 86_400_005 })
  const write = { name: 'workspace_write', args: '{"path":"src/a.ts"}' }
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
    JSON.stringify(grantFor({ name: 'x', args: '{}' }, { scope: 'target', for: 'day' }, clean)),
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
  [{ command: ' git push ' }, 'git'],
  [{ command: 'A=1 git push' }, undefined],
  [{ command: 'git $(curl x)' }, undefined],
  [{ command: 'git log | sh' }, undefined],
  [{ command: 'bash -c x' }, undefined],
  [{ command: 'python3.12 -c x' }, undefined],
  [{ command: 'timeout 9 sh x' }, undefined],
  [{ command: '. ./x' }, undefined],
  [{ command: 'npm test' }, 'npm'],
  [{ command: 'npm test\nrm x' }, undefined],
  [{}, undefined],
] as const) {
  test(`the target of ${JSON.stringify(args)} is ${target}`, () => assert.equal(targetOf(JSON.stringify(args)), target))
}
