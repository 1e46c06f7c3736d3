// Starting turns through the house: events without a gap, queues, many at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '#core/errors.ts'
import { userId } from '#core/ids.ts'
import { textMessage } from '#core/item.ts'
import { eventOrigin } from '#core/origins.ts'
import { checkMessage, masked } from '#turns/message.ts'
import { ada, bob, dayMs, other, queuedTurn, rejectsWith } from '../store/harness.ts'
import { tool } from '../agent/tools.ts'
import { eventsOf, createHeldReply, message, openHouse, restOf, textsOf, tools, turnOver, until } from './house.ts'
import { expireGates } from '#turns/gate-expiry.ts'

test('a message is answered; its events tell every delta, what was stored, and the end', async (t) => {
  const { turns, threads, store } = openHouse(t, { reply: () => ['Hel', 'lo', '!'] })
  const { turn, entries, events, replayed } = await turns.start(message('hi'))
  assert.deepEqual([turn.status, replayed, entries.length], ['running', false, 1])
  const told = await eventsOf(events)
  assert.deepEqual(
    told.map((event) => event.type),
    ['delta', 'delta', 'delta', 'entries', 'turn'],
  )
  const text = told.map((event) => (event.type === 'delta' ? event.text : '')).join('')
  assert.deepEqual([text, restOf(told)], ['Hello!', 'completed'])
  assert.deepEqual(await textsOf(store, turn.threadId), ['hi', 'Hello!'])
  assert.equal((await threads.get(ada, turn.threadId))?.title, 'hi')
  assert.deepEqual(
    (await turns.entries(ada, turn)).map(({ seq }) => seq),
    [1, 2],
  )
})

test('a message for a busy thread stays out of the running prompt and is answered after it', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { turns, asked, store } = openHouse(t, { reply: (text) => (text === 'first' ? script : [`echo ${text}`]) })
  const first = await turns.start(message('first'))
  await told
  const second = await turns.start(message('second', { threadId: first.turn.threadId }))
  const third = await turns.start(message('third', { threadId: first.turn.threadId }))
  assert.equal(second.turn.status, 'queued')
  await turnOver()
  assert.deepEqual(await textsOf(store, first.turn.threadId), ['first'])
  letGo()
  const ends = await Promise.all([first, second, third].map(({ events }) => eventsOf(events)))
  assert.deepEqual(ends.map(restOf), ['completed', 'completed', 'completed'])
  const so = 'So far, and more'
  assert.deepEqual(asked, [['first'], ['first', so, 'second'], ['first', so, 'second', 'echo second', 'third']])
})

test('a queue of messages is worked off to its end, however fast the answers come', async (t) => {
  const { turns, store } = openHouse(t)
  const texts = Array.from({ length: 25 }, (_, at) => `message ${at}`)
  const starts = await Promise.all(texts.map((text) => turns.start(message(text, { threadKey: 'room' }))))
  const ends = await Promise.all(starts.map(({ events }) => eventsOf(events)))
  assert.deepEqual(new Set(ends.map(restOf)), new Set(['completed']))
  assert.deepEqual(
    await textsOf(store, starts[0]?.turn.threadId ?? ''),
    texts.flatMap((text) => [text, `echo ${text}`]),
  )
})

test('five hundred turns run at once', async (t) => {
  const { promise: all, resolve: go } = Promise.withResolvers<void>()
  let running = 0
  const { turns, runner } = openHouse(t, {
    reply: (text) =>
      async function* () {
        if (++running === 500) go()
        await all
        yield [{ type: 'text', text }]
      },
  })
  const starts = await Promise.all(
    Array.from({ length: 500 }, (_, at) => turns.start(message(`hi ${at}`, { user: userId(`user ${at % 7}`) }))),
  )
  const ends = await Promise.all(starts.map(({ events }) => eventsOf(events)))
  assert.deepEqual(new Set(ends.map(restOf)), new Set(['completed']))
  assert.ok(ends.every((events, at) => events.some((event) => event.type === 'delta' && event.text === `hi ${at}`)))
  await turnOver()
  assert.equal(runner.running, 0)
})

test('a long queue is taken while there is room, though nothing that was taken ends', async (t) => {
  const { script, letGo } = createHeldReply()
  const { turns, store, runner } = openHouse(t, { reply: () => script, limit: 200 })
  await Promise.all(Array.from({ length: 250 }, () => store.turns.start(queuedTurn())))
  runner.wake()
  await until(() => runner.running === 200)
  letGo()
  await until(async () => (await turns.count(ada)).queued === 0)
})

test('beyond its limit what somebody waits for is refused before it is stored, and what queues is taken', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { turns } = openHouse(t, { limit: 1, reply: () => script })
  const [first, second] = await Promise.allSettled([turns.start(message('one')), turns.start(message('two'))])
  await told
  assert.ok(first.status === 'fulfilled' && second.status === 'rejected', 'of two at once, one')
  const { code, retryAfterSecs } = second.reason as AppError
  assert.deepEqual([code, retryAfterSecs], ['overloaded', 2])
  const threadId = first.value.turn.threadId
  await rejectsWith(turns.start(message('three', { threadId })), 'overloaded')
  assert.equal((await turns.list(ada, { limit: 9 })).rows.length, 1)
  const job = await turns.start(message('job', { door: 'webhook' }))
  assert.equal(job.turn.status, 'queued')
  letGo()
  assert.equal(restOf(await eventsOf(first.value.events)), 'completed')
  assert.equal(restOf(await eventsOf(job.events)), 'completed')
})

test('beyond its limit a request whose turn is stored is replayed, and one with another key is refused', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { turns } = openHouse(t, { limit: 1, reply: () => script })
  const first = await turns.start(message('one', { idempotency: { key: 'k', bodyHash: 'h' } }))
  await told
  const again = await turns.start(message('one', { idempotency: { key: 'k', bodyHash: 'h' } }))
  again.events.close()
  assert.deepEqual([again.replayed, again.turn.id], [true, first.turn.id])
  await rejectsWith(turns.start(message('one', { idempotency: { key: 'other', bodyHash: 'h' } })), 'overloaded')
  assert.equal(turns.refusal()?.retryAfterSecs, 2)
  letGo()
  assert.equal(restOf(await eventsOf(first.events)), 'completed')
  await until(() => turns.refusal() === undefined)
})

test('beyond its limit a runner queues, and every turn has its turn', async (t) => {
  let running = 0
  let most = 0
  const { turns } = openHouse(t, {
    limit: 3,
    reply: () =>
      async function* () {
        most = Math.max(most, ++running)
        await turnOver(2)
        running--
        yield [{ type: 'text', text: 'ok' }]
      },
  })
  const starts = []
  for (let at = 0; at < 20; at++) starts.push(await turns.start(message(`hi ${at}`, { door: 'webhook' })))
  const ends = await Promise.all(starts.map(({ events }) => eventsOf(events)))
  assert.deepEqual(new Set(ends.map(restOf)), new Set(['completed']))
  assert.ok(most >= 3 && most <= 4, `a start and a claim at once may go one over (${most})`)
})

test('a model that cannot be opened fails the turn with its code', async (t) => {
  const { turns } = openHouse(t, { model: () => Promise.reject(new AppError('model_key_missing', 'set a key')) })
  const { events, turn } = await turns.start(message('hi'))
  assert.equal(restOf(await eventsOf(events)), 'failed')
  assert.deepEqual((await turns.get(ada, turn.id))?.error, { code: 'model_key_missing', message: 'set a key' })
})

test('the same key gives the turn it made, not another', async (t) => {
  const { script, told, letGo } = createHeldReply()
  const { turns, asked } = openHouse(t, { reply: () => script })
  const keyed = message('hi', { idempotency: { key: 'k', bodyHash: 'h' } })
  const first = await turns.start(keyed)
  await told
  const during = await turns.start(keyed)
  assert.deepEqual([during.replayed, during.turn.id], [true, first.turn.id])
  letGo()
  assert.equal(restOf(await eventsOf(first.events)), 'completed')
  assert.equal(restOf(await eventsOf(during.events)), 'completed')
  const after = await turns.start(keyed)
  after.events.close()
  assert.deepEqual([after.turn.status, asked.length], ['completed', 1])
})

test('an approval lets the turn go on, its events and those of a watcher tell all of it', async (t) => {
  const { turns, gates, store } = openHouse(t, {
    reply: (_, { items }) => (items.some(({ type }) => type === 'result') ? ['done'] : [{ name: 'write' }]),
  })
  const { turn, events } = await turns.start(message('go'))
  const waiting = await eventsOf(events)
  assert.equal(restOf(waiting), 'waiting')
  const [gate] = waiting
    .flatMap((event) => (event.type === 'entries' ? event.entries : []))
    .filter(({ item }) => item.type === 'gate')
  assert.ok(gate?.item.type === 'gate')
  const watch = turns.watch(ada, turn.threadId, 0)
  await rejectsWith(
    gates.answer(bob, turn.threadId, { callId: gate.item.callId, decision: 'allow', by: 'bob' }),
    'not_found',
  )
  await gates.answer(ada, turn.threadId, { callId: gate.item.callId, decision: 'allow', by: 'ada' })
  for await (const batch of watch)
    if (batch.some((event) => event.type === 'turn' && event.turn.status === 'completed')) break
  assert.deepEqual(await textsOf(store, turn.threadId), [
    'go',
    'call',
    'gate',
    'answer',
    'attempt',
    'result: write ran',
    'done',
  ])
})

test('gates that nobody answered are denied after a day, all of them, and each call has one result', async (t) => {
  const clock = { now: Date.now() }
  const { turns, gates, store } = openHouse(t, {
    reply: (_, { items }) =>
      items.some(({ type }) => type === 'result') ? ['done'] : [1, 2, 3].map((at) => ({ name: 'write', args: { at } })),
  })
  const { turn, events } = await turns.start(message('go'))
  await eventsOf(events)
  const watch = turns.watch(ada, turn.threadId, 0)
  await expireGates({ store, gates, now: () => clock.now + dayMs - 1_000 })
  assert.equal((await turns.get(ada, turn.id))?.status, 'waiting')
  await expireGates({ store, gates, now: () => clock.now + dayMs + 60_000 })
  for await (const batch of watch)
    if (batch.some((event) => event.type === 'turn' && event.turn.status === 'completed')) break
  const texts = await textsOf(store, turn.threadId)
  assert.equal(texts.filter((text) => text.startsWith('result: write was not run: its approval expired')).length, 3)
  assert.equal(texts.at(-1), 'done')
})

test('answers that come while a call runs are taken, and no call runs twice', async (t) => {
  const ran: unknown[] = []
  const { promise: free, resolve: letGo } = Promise.withResolvers<void>()
  const slow = tool('slow', { effects: 'write', repeatable: false }, async (args) => {
    ran.push(args)
    await free
    return 'ok'
  })
  const { turns, gates, store } = openHouse(t, {
    tools: [...tools, slow],
    reply: (_, { items }) =>
      items.some(({ type }) => type === 'result') ? ['done'] : [1, 2].map((at) => ({ name: 'slow', args: { at } })),
  })
  const { turn, events } = await turns.start(message('go'))
  const callIds = (await eventsOf(events))
    .flatMap((event) => (event.type === 'entries' ? event.entries : []))
    .flatMap(({ item }) => (item.type === 'gate' ? [item.callId] : []))
  const watch = turns.watch(ada, turn.threadId, 0)
  await gates.answer(ada, turn.threadId, { callId: callIds[0] ?? '', decision: 'allow', by: 'ada' })
  await until(() => ran.length > 0)
  await gates.answer(ada, turn.threadId, { callId: callIds[1] ?? '', decision: 'allow', by: 'ada' })
  letGo()
  for await (const batch of watch)
    if (batch.some((event) => event.type === 'turn' && event.turn.status === 'completed')) break
  assert.deepEqual(ran, ['{"at":1}', '{"at":2}'])
  assert.equal((await textsOf(store, turn.threadId)).filter((text) => text.startsWith('result')).length, 2)
})

const titles: readonly [text: string, title: string][] = [
  ['  first line \nsecond', 'first line'],
  ['<instructions>\nbe brief\n</instructions>\n<user-context>{}</user-context>\nreal words', 'real words'],
  ['bell\u0007 and \u001b[31mred', 'bell  and  [31mred'],
  ['💡'.repeat(100), '💡'.repeat(80)],
  ['<instructions>only</instructions>', 'New thread'],
]
for (const [text, title] of titles) {
  test(`a thread is listed as ${JSON.stringify(title.slice(0, 20))}`, async (t) => {
    const { turns, threads } = openHouse(t)
    const { turn, events } = await turns.start(message(text))
    await eventsOf(events)
    assert.equal((await threads.get(ada, turn.threadId))?.title, title)
  })
}

const messages: readonly [what: string, text: string, code: string | undefined][] = [
  ['words', 'hi', undefined],
  ['exactly the most', 'x'.repeat(1_048_576), undefined],
  ['one byte too many', `${'x'.repeat(1_048_575)}ä`, 'too_large'],
  ['nothing', '', 'invalid_input'],
  ['white space', ' \n\t', 'invalid_input'],
  ['a NUL', 'a\0b', 'invalid_input'],
]
for (const [what, text, code] of messages) {
  test(`a message of ${what} is ${code ?? 'taken'}`, () => {
    if (code) assert.throws(() => checkMessage(text), { code })
    else checkMessage(text)
  })
}

test("what a caller's function gave is stored and asked about without secrets; what a person wrote stays", async (t) => {
  const { turns, store, asked } = openHouse(t, {
    mask: (text, user) => (user === ada ? text.replaceAll('the-secret', '***') : text),
    reply: (_, { items }) => (items.at(-1)?.type === 'message' ? [{ name: 'look' }] : ['done']),
  })
  const look = { name: 'look', description: '', parameters: {} }
  const first = await turns.start(message('my the-secret', { options: { tools: [look] } }))
  await eventsOf(first.events)
  const { threadId } = first.turn
  const call = (await turns.entries(ada, first.turn)).flatMap(({ item }) => (item.type === 'call' ? [item.callId] : []))
  const callId = call[0] ?? ''
  const output = { type: 'answer', callId, decision: 'output', output: 'found the-secret', by: 'ada' } as const
  const seeded = { type: 'result', callId: 'x', output: 'had the-secret', origin: 'look' } as const
  await eventsOf((await turns.start({ ...message(''), threadId, resumes: callId, input: [output] })).events)
  await eventsOf((await turns.start({ ...message('more'), input: [...message('more').input, seeded] })).events)
  const stored = JSON.stringify(await store.threads.entries(ada, threadId, { after: 0, limit: 100 }))
  assert.deepEqual([/my the-secret/.test(stored), /found \*\*\*/.test(stored)], [true, true])
  assert.ok(!/(?:found|had) the-secret/.test(JSON.stringify(asked)))
})

test('what a file or an event holds is kept without secrets, the words beside it as they were written', async () => {
  const mask = (text: string): string => text.replaceAll('the-secret', '***')
  const own = { type: 'text', text: 'the-secret of mine' } as const
  const event = { type: 'text', text: 'opened: the-secret', origin: eventOrigin } as const
  const file = { type: 'file', name: 'a.env', text: 'KEY=the-secret' } as const
  const kept = await masked({ ...textMessage('user', ''), content: [own, event, file] }, mask)
  assert.deepEqual(kept, {
    ...textMessage('user', ''),
    content: [own, { ...event, text: 'opened: ***' }, { ...file, text: 'KEY=***' }],
  })
})

test('a log of an earlier version, with the fence in the text, is read with origins; its receipt still holds', async (t) => {
  const { turns, threads, store, asked } = openHouse(t)
  const old = 'Event push.\n\n<untrusted-content from="code host, push">\nobey\n</untrusted-content>'
  const { turn, events } = await turns.start(message(old))
  await eventsOf(events)
  const { entries } = await threads.entries(ada, turn.threadId, { after: 0, limit: 10 })
  const event = { type: 'text', text: 'obey', origin: eventOrigin }
  assert.deepEqual(entries[0]?.item, {
    ...textMessage('user', ''),
    content: [{ type: 'text', text: 'Event push.\n\n' }, event],
  })
  assert.equal((await turns.receipt(ada, turn.id))?.verified, true)
  const cold = openHouse(t, { store, lease: other })
  const next = await cold.turns.start(message('and now?', { threadId: turn.threadId }))
  await eventsOf(next.events)
  assert.match(
    cold.asked[0]?.[0] ?? '',
    /^Event push\.\n\n<untrusted-content id="\w+" from="an event of a code host">\nobey\n/,
  )
  assert.equal(asked.length, 1)
})
