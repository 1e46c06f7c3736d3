// Messages on their way: none lost, none twice, none before another.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, address, gateway, ok, refusal, settled } from './page.ts'
import { first, keys, open, say, sending, states, take, texts } from './outbox-page.ts'
import { go, route } from '../../../web/router.ts'
import { addFiles, filesWith } from '../../../web/store/files.ts'
import { outgoingTo, retry, send, sendHeld } from '../../../web/store/outbox.ts'

test('a message shows at once, and is sent with its files, its thread and a key of its own', async (t) => {
  open(t)
  gateway.on(sending, take)
  const files = [{ name: 'a.txt', media_type: 'text/plain', data: 'YQ==' }]
  const sent = send({ threadId: 'a', text: 'hello', files })
  assert.deepEqual(states(), [['hello', 'sending']])
  await sent
  await say('more')
  assert.deepEqual(gateway.bodies(sending), [
    { message: 'hello', thread_id: 'a', attachments: files },
    { message: 'more', thread_id: 'a' },
  ])
  assert.deepEqual(states(), [
    ['hello', 'sent'],
    ['more', 'sent'],
  ])
  assert.equal(first().turnId, 'turn of hello')
  assert.equal(new Set(keys()).size, 2)
  // With each message the threads, and those that are pinned.
  assert.equal(gateway.of('GET /api/threads').length, 4, 'the list shows what happened')
})

test('an answer that was lost is asked for again under the same key: the message is said once', async (t) => {
  open(t)
  const turns = new Map<string, string>()
  let lost = true
  gateway.on(sending, ({ headers, body }) => {
    const key = headers['idempotency-key'] ?? ''
    turns.set(key, turns.get(key) ?? `turn ${turns.size}`)
    return lost ? 'lost' : take({ body })
  })
  await say('once')
  assert.deepEqual(states(), [['once', 'held']])
  lost = false
  await sendHeld()
  assert.deepEqual(states(), [['once', 'sent']])
  assert.equal(turns.size, 1)
  assert.deepEqual(texts(), ['once', 'once'])
})

for (const [why, answer] of [
  ['not reached', 'lost'],
  ['not reached to the end of its answer', 'cut'],
  ['not there behind a proxy', { status: 502, text: '<html></html>' }],
  ['ending', refusal(503, 'shutting_down')],
  ['signed out', refusal(401, 'unauthorized')],
] as const) {
  test(`a message waits for a gateway that is ${why}`, async (t) => {
    open(t)
    gateway.on(sending, answer)
    await say('later')
    assert.deepEqual(states(), [['later', 'held']])
    gateway.on(sending, take)
    await sendHeld()
    assert.deepEqual(states(), [['later', 'sent']])
  })
}

test('a refused message says why, holds nobody up, and is sent again on demand, before those behind it', async (t) => {
  open(t)
  gateway.on(sending, refusal(400, 'invalid_request', 'no such words'))
  await say('wrong')
  assert.deepEqual([first().state, first().fault], ['failed', 'No such words.'])
  await sendHeld()
  assert.deepEqual(texts(), ['wrong'], 'nobody sends it unasked')
  gateway.on(sending, 'lost')
  await say('wrong not')
  gateway.on(sending, take)
  await retry(first())
  assert.deepEqual(texts(), ['wrong', 'wrong not', 'wrong', 'wrong not'])
  assert.equal(keys()[0], keys()[2])
  assert.deepEqual(states(), [
    ['wrong', 'sent'],
    ['wrong not', 'sent'],
  ])
})

test('held messages go in their order; one that is still held keeps those behind it', async (t) => {
  open(t)
  gateway.on(sending, 'lost')
  await say('one')
  await say('two')
  await say('elsewhere', 'b')
  assert.deepEqual(texts(), ['one', 'one', 'elsewhere'], 'the second waits for the first')
  assert.deepEqual(states(), [
    ['one', 'held'],
    ['two', 'held'],
  ])
  gateway.asked.length = 0
  await sendHeld()
  assert.deepEqual(texts(), ['one'], 'the gateway is away for the others too')
  gateway.on(sending, take)
  gateway.asked.length = 0
  await sendHeld()
  assert.deepEqual(texts(), ['one', 'two', 'elsewhere'])
})

test('no message overtakes one that is on its way, however often the outbox is looked at', async (t) => {
  open(t)
  const { promise, resolve } = Promise.withResolvers<Answer>()
  gateway.on(sending, (asked) => (gateway.of(sending).length === 1 ? promise : take(asked)))
  const all = [say('one'), say('two')]
  await Promise.all([settled(), sendHeld(), sendHeld()])
  assert.deepEqual(texts(), ['one'])
  assert.deepEqual(states(), [
    ['one', 'sending'],
    ['two', 'sending'],
  ])
  await say('not behind them', 'b')
  assert.deepEqual(texts(), ['one', 'not behind them'])
  resolve('lost')
  await Promise.all(all)
  assert.deepEqual(states(), [
    ['one', 'held'],
    ['two', 'held'],
  ])
  await sendHeld()
  assert.deepEqual(texts().slice(2), ['one', 'two'])
})

test('a message that is refused does not hold up those behind it', async (t) => {
  open(t)
  gateway.on(sending, (asked) => (gateway.of(sending).length === 1 ? refusal(400, 'invalid_request') : take(asked)))
  await Promise.all([say('wrong'), say('right')])
  assert.deepEqual(states(), [
    ['wrong', 'failed'],
    ['right', 'sent'],
  ])
})

test('a held message that is tried again is on its way', async (t) => {
  open(t)
  gateway.on(sending, 'lost')
  await say('one')
  const { promise, resolve } = Promise.withResolvers<Answer>()
  gateway.on(sending, () => promise)
  const again = sendHeld()
  assert.deepEqual(states(), [['one', 'sending']])
  resolve('lost')
  await again
  assert.deepEqual(states(), [['one', 'held']])
})

test('what is written for a new thread belongs to none that is there', async (t) => {
  open(t)
  gateway.on(sending, 'lost')
  await say('for b', 'b')
  await send({ threadId: undefined, text: 'for a new one', files: [] })
  gateway.on(sending, take)
  await say('for a')
  assert.deepEqual(
    outgoingTo(undefined).map(({ text }) => text),
    ['for a new one'],
  )
  await sendHeld()
  assert.deepEqual(gateway.bodies(sending).slice(-2), [
    { message: 'for b', thread_id: 'b' },
    { message: 'for a new one' },
  ])
  assert.deepEqual(states('b'), [['for b', 'sent']])
})

test('messages of a new thread go into one thread, and the page goes there', async (t) => {
  open(t)
  const { promise, resolve } = Promise.withResolvers<Answer>()
  gateway.on(sending, (asked) => (gateway.of(sending).length === 1 ? promise : take(asked)))
  await addFiles('new', [new File([], 'empty')])
  const all = [
    send({ threadId: undefined, text: 'one', files: [] }),
    send({ threadId: undefined, text: 'two', files: [] }),
  ]
  await settled()
  assert.deepEqual(states('made'), [])
  assert.equal(outgoingTo(undefined).length, 2)
  resolve(ok({ thread_id: 'made', turn_id: 'turn of one' }))
  await Promise.all(all)
  await settled()
  assert.deepEqual(gateway.bodies(sending), [{ message: 'one' }, { message: 'two', thread_id: 'made' }])
  assert.deepEqual(states('made'), [
    ['one', 'sent'],
    ['two', 'sent'],
  ])
  assert.deepEqual([outgoingTo(undefined), route.value.path], [[], '/threads/made'])
  assert.deepEqual(
    [filesWith('made').map(({ name }) => name), filesWith('new')],
    [['empty'], []],
    'a refused file stays until it is removed',
  )
})

test('whoever has gone elsewhere meanwhile stays there', async (t) => {
  open(t)
  const { promise, resolve } = Promise.withResolvers<Answer>()
  gateway.on(sending, () => promise)
  const sent = send({ threadId: undefined, text: 'one', files: [] })
  go('/jobs')
  resolve(ok({ thread_id: 'made', turn_id: 't' }))
  await sent
  assert.equal(address.pathname, '/jobs')
})
