// From a body to the turn it asks for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#core/json.ts'
import { readSubmission, turnOf } from '#doors/webhook/submit.ts'

const hello = { user_id: 'ada', message: 'hello' }

test('the fields of the specification are read, others are not', () => {
  const body = { ...hello, conversation_id: 'c', metadata: { a: 1 }, door: 'web', thread_id: 'x' }
  assert.deepEqual(readSubmission(body, 'k'), {
    userId: 'ada',
    message: 'hello',
    conversationId: 'c',
    metadata: { a: 1 },
    key: 'k',
  })
  assert.deepEqual(readSubmission(hello, undefined), { userId: 'ada', message: 'hello' })
  assert.deepEqual(readSubmission({ ...hello, conversation_id: null, metadata: null }, undefined), {
    userId: 'ada',
    message: 'hello',
  })
})

test('nothing is trimmed or changed: a name with spaces is another name', () => {
  const { userId, message } = readSubmission({ user_id: ' ada ', message: ' hello\n' }, undefined)
  assert.deepEqual([userId, message], [' ada ', ' hello\n'])
})

test('a turn is queued in the namespace of the channel, its thread named by the conversation', () => {
  const turn = turnOf(readSubmission({ ...hello, conversation_id: 'c', metadata: { a: 1 } }, undefined))
  assert.deepEqual(turn, {
    user: 'webhook:ada',
    door: 'webhook',
    threadKey: 'c',
    input: [{ type: 'message', role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    options: { echo: { metadata: { a: 1 } } },
    whenBusy: 'queue',
  })
  const bare = turnOf(readSubmission(hello, undefined))
  assert.deepEqual([bare.threadKey, bare.options, bare.idempotency], [undefined, {}, undefined])
})

test('two bodies are the same for a key when they say the same', () => {
  const hashOf = (body: JsonObject) => turnOf(readSubmission(body, 'k')).idempotency?.bodyHash
  const metadata = { a: 1, b: [{ c: 2, d: 3 }] }
  const one = hashOf({ ...hello, conversation_id: 'c', metadata })
  assert.equal(
    hashOf({
      metadata: { b: [{ d: 3, c: 2 }], a: 1 },
      conversation_id: 'c',
      message: 'hello',
      user_id: 'ada',
      extra: 1,
    }),
    one,
  )
  const others = [
    { ...hello, conversation_id: 'c' },
    { ...hello, metadata },
    { ...hello, conversation_id: 'c', metadata: { ...metadata, a: 2 } },
    { ...hello, message: 'hello ', conversation_id: 'c', metadata },
  ]
  assert.equal(new Set([one, ...others.map(hashOf)]).size, 5)
})

test('names have 1 to 200 characters, however many bytes; a key 1 to 255', () => {
  const id = '💡'.repeat(200)
  assert.equal(readSubmission({ ...hello, user_id: id, conversation_id: id }, undefined).userId, id)
  assert.equal(readSubmission(hello, 'k'.repeat(255)).key?.length, 255)
  for (const [body, key, param] of [
    [{ ...hello, user_id: `${id}x` }, undefined, 'user_id'],
    [{ ...hello, user_id: '' }, undefined, 'user_id'],
    [{ ...hello, conversation_id: `${id}x` }, undefined, 'conversation_id'],
    [hello, 'k'.repeat(256), 'Idempotency-Key'],
    [hello, '', 'Idempotency-Key'],
  ] as const) {
    assert.throws(() => readSubmission(body, key), { code: 'invalid_input', param })
  }
})
