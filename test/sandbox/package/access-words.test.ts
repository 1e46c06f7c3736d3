// The rights of a tool in words: a line for each kind of right.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessRow } from '#core/admin.ts'
import { describeRows } from '#sandbox/package/access-words.ts'

const limits: AccessRow = { kind: 'limits', seconds: 30 }
const secret = { kind: 'secret', secret: 'KEY', hosts: ['a.example', 'b.example'] } as const

const rows: readonly [row: AccessRow, line: string][] = [
  [{ kind: 'http', methods: ['GET', 'POST'], host: 'a.example', path: '/v1/' }, 'sends GET, POST to a.example/v1/'],
  [
    { kind: 'http', methods: ['GET'], host: 'localhost', path: '/', near: 'machine' },
    'sends GET to localhost/ (this machine)',
  ],
  [
    { kind: 'http', methods: ['GET'], host: '10.0.0.1', path: '/', near: 'network' },
    'sends GET to 10.0.0.1/ (a private network)',
  ],
  [{ ...secret, place: { type: 'bearer' } }, 'uses the secret KEY at a.example, b.example, as a bearer token'],
  [
    { ...secret, place: { type: 'basic', name: 'me' } },
    'uses the secret KEY at a.example, b.example, as the password of me',
  ],
  [
    { ...secret, place: { type: 'header', name: 'X-Key' } },
    'uses the secret KEY at a.example, b.example, in the header X-Key',
  ],
  [
    { ...secret, place: { type: 'query', name: 'key' } },
    'uses the secret KEY at a.example, b.example, in the query as key',
  ],
  [
    { ...secret, place: { type: 'path', name: 'KEY' } },
    'uses the secret KEY at a.example, b.example, in the path as {KEY}',
  ],
  [{ kind: 'secret_known', secret: 'KEY' }, 'may ask whether the secret KEY is set'],
  [{ kind: 'setup', secret: 'KEY', optional: false }, 'needs the secret KEY at set-up'],
  [{ kind: 'setup', secret: 'KEY', optional: true }, 'needs the secret KEY at set-up (optional)'],
  [{ kind: 'auth', secret: 'KEY' }, 'asks you to sign in, which stores the secret KEY'],
  [{ kind: 'page', url: 'https://a.example/' }, 'sends you to https://a.example/ for it'],
  [{ kind: 'env', variable: 'V', use: 'secret', secret: 'KEY' }, 'reads the environment variable V as the secret KEY'],
  [{ kind: 'env', variable: 'V', use: 'client_id' }, 'reads the environment variable V as the client id'],
  [{ kind: 'env', variable: 'V', use: 'client_secret' }, 'reads the environment variable V as the client secret'],
  [
    { kind: 'sign_in', url: 'https://a.example', tokens: 'https://b.example' },
    'signs in at https://a.example, tokens from https://b.example',
  ],
  [
    { kind: 'sign_in', url: 'https://a.example', tokens: 'https://b.example', client: 'c' },
    'signs in at https://a.example, tokens from https://b.example, as the client c',
  ],
  [{ kind: 'scope', scope: 'read' }, 'asks for the scope read at sign-in'],
  [{ kind: 'workspace', folder: 'data/' }, 'reads the workspace folder data/'],
  [{ kind: 'tool', tool: 'time' }, 'runs the tool time'],
  [{ kind: 'action', action: 'list' }, 'runs its action list without asking you: it can only send GET and HEAD'],
  [{ kind: 'unreadable', reason: 'no JSON' }, 'is left out: its capability file cannot be read (no JSON)'],
]
for (const [row, line] of rows) {
  test(`it ${line}`, () => assert.deepEqual(describeRows([row, limits]), [line, 'runs up to 30 seconds at a time']))
}

test('a tool without rights says so, with its limits in numbers', () => {
  assert.deepEqual(describeRows([limits])[0], 'reaches nothing: no hosts, no secrets')
  const rates: readonly [limits: Partial<Extract<AccessRow, { kind: 'limits' }>>, words: string][] = [
    [{ requests: 5 }, ', with up to 5 requests'],
    [{ minute: 10, hour: 2_000 }, ', with up to 10 requests a minute and 2,000 requests an hour'],
    [{ requests: 5, hour: 20 }, ', with up to 5 requests and 20 requests an hour'],
  ]
  for (const [more, words] of rates) {
    assert.equal(describeRows([{ kind: 'limits', seconds: 30, ...more }])[1], `runs up to 30 seconds at a time${words}`)
  }
})
