// What POST /api/chat and /api/chat/send refuse, and that they answer any JSON in the right shape.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { openHouse } from './house.ts'

const noThread = '0197a000-0000-7000-8000-000000000000'

const file = { name: 'a', media_type: 'text/plain', data: 'aGk=' }
const refused: readonly [what: string, body: unknown, status: number, message: RegExp][] = [
  ['nothing', '', 400, /the body is empty/],
  ['a list', [], 400, /the body must be a JSON object/],
  ['null', 'null', 400, /the body must be a JSON object/],
  ['no JSON', '{', 400, /not valid JSON/],
  ['no message but in a prototype', '{"__proto__":{"message":"a"}}', 400, /^message is missing/],
  ['no message', {}, 400, /^message is missing/],
  ['an empty message', { message: ' \n' }, 400, /message is empty/],
  ['a number as message', { message: 5 }, 400, /^message must be a string/],
  ['a NUL', { message: 'a\0b' }, 400, /NUL/],
  ['a message over 1 MiB', { message: 'ü'.repeat(512 * 1024 + 1) }, 413, /1048578 bytes/],
  ['a number as thread', { message: 'a', thread_id: 5 }, 400, /^thread_id must be a string/],
  ['a malformed thread', { message: 'a', thread_id: '../x' }, 404, /thread/],
  ['an unknown thread', { message: 'a', thread_id: noThread }, 404, /thread/],
  ['attachments as text', { message: 'a', attachments: 'x' }, 400, /^attachments must be a list/],
  [
    'an attachment without a name',
    { message: 'a', attachments: [{ ...file, name: undefined }] },
    400,
    /^attachments\[0\].name is missing/,
  ],
  ['an empty name', { message: 'a', attachments: [{ ...file, name: '' }] }, 400, /^attachments\[0\].name must be/],
  [
    'no base64',
    { message: 'a', attachments: [file, { ...file, data: '§' }] },
    400,
    /^attachments\[1\].data must be base64/,
  ],
  ...['', '=', 'YWJjZ', 'YWJj§', 'YQ-_', 'YW Jj', 'YQ==YQ=='].map((data): (typeof refused)[number] => [
    `no base64: ${data}`,
    { message: 'a', attachments: [{ ...file, data }] },
    400,
    /^attachments\[0\].data must be base64, and not empty/,
  ]),
  [
    'a kind no model takes',
    { message: 'a', attachments: [{ ...file, media_type: 'audio/mpeg' }] },
    400,
    /audio\/mpeg is not taken/,
  ],
  [
    'no media type',
    { message: 'a', attachments: [{ ...file, media_type: 'png' }] },
    400,
    /^attachments\[0\].media_type must be/,
  ],
  [
    'a false picture',
    { message: 'a', attachments: [{ ...file, media_type: 'image/png' }] },
    400,
    /not a picture of type image\/png/,
  ],
  ['bytes as text', { message: 'a', attachments: [{ ...file, data: '/w==' }] }, 400, /not UTF-8 text/],
  [
    'a long text',
    { message: 'a', attachments: [{ ...file, data: Buffer.alloc(1_048_577, 97).toString('base64') }] },
    413,
    /at most 1048576/,
  ],
  ['21 files', { message: 'a', attachments: Array.from({ length: 21 }, () => file) }, 400, /at most 20 files/],
]

test('bad sends are refused by both routes, name the field, and store nothing', async (t) => {
  const { call } = await openHouse(t)
  for (const path of ['/api/chat', '/api/chat/send']) {
    for (const [what, body, status, message] of refused) {
      const answer = await call('POST', path, { body })
      assert.equal(answer.status, status, `${what}: ${answer.text}`)
      assert.match(answer.json.error.message, message, what)
      const { code: _, message: words, param, ...more } = answer.json.error
      assert.deepEqual(more, {}, what)
      assert.ok(param === undefined || words.startsWith(param) || param === 'thread_id' || param === 'message', what)
    }
  }
  const named = await call('POST', '/api/chat', { body: { message: 'a', attachments: [{ ...file, name: '' }] } })
  assert.equal(named.json.error.param, 'attachments[0].name')
  assert.deepEqual((await call('GET', '/api/jobs')).json, { jobs: [], next_cursor: null })
})

test('a message of 100,000 bytes is taken', async (t) => {
  const { call } = await openHouse(t)
  assert.equal((await call('POST', '/api/chat', { body: { message: 'ü'.repeat(50_000) } })).status, 200)
})

test("another user's thread is as unknown as none", async (t) => {
  const { call, addUser } = await openHouse(t)
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  const { json } = await call('POST', '/api/chat', { token: ada, body: { message: 'mine' } })
  const body = { message: 'ours?', thread_id: json.thread_id }
  const unknown = await call('POST', '/api/chat', { token: bob, body: { ...body, thread_id: noThread } })
  for (const token of [bob, 'operator-token-of-the-tests']) {
    const foreign = await call('POST', '/api/chat', { token, body })
    assert.equal(foreign.status, 404)
    assert.equal(foreign.text.replaceAll(json.thread_id, noThread), unknown.text)
  }
})

test('whatever JSON is sent, the answer has the right shape and the service stays up', async (t) => {
  const { call } = await openHouse(t)
  const field = fc.oneof(fc.jsonValue(), fc.string(), fc.constant(noThread))
  const shaped = fc.record(
    {
      message: field,
      content: field,
      thread_id: field,
      attachments: fc.array(fc.record({ name: field, media_type: field, data: field })),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.jsonValue(), shaped), async (value) => {
      const { status, json, text } = await call('POST', '/api/chat', { body: JSON.stringify(value) })
      assert.ok([200, 400, 404].includes(status), `${status} ${text}`)
      if (status !== 200) assert.equal(typeof json.error.message, 'string')
    }),
    { numRuns: 300 },
  )
  assert.equal((await call('GET', '/api/ready')).status, 200)
})
