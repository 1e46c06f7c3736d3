// Telegram as a channel: what each answer of the Bot API means, how long it is waited, and how often it is tried.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Channel, Content } from '#doors/channel/channel.ts'
import { withFakeClock } from '../../fake-clock.ts'
import { type Answer, away, ok, outage, refused, script, signal } from './scripted-bot.ts'

const plain: Content = { type: 'plain', text: 'a **b**' }
const markdown: Content = { type: 'markdown', text: 'a **b**' }
const file: Content = { type: 'file', name: 'a.txt', text: 'x' }

const send = (channel: Channel, content: Content = plain) => channel.send('7', content, { signal })
const edit = (channel: Channel, content: Content = plain) => channel.edit('7', '5', content, signal)

const refusals: readonly (readonly [code: number, description: string, outcome: string])[] = [
  [400, 'Bad Request: message is not modified: the same', 'done'],
  [400, 'Bad Request: message to edit not found', 'missing'],
  [400, 'Bad Request: message to delete not found', 'missing'],
  [400, "Bad Request: message can't be edited", 'missing'],
  [400, "Bad Request: message can't be deleted", 'missing'],
  [400, 'Bad Request: MESSAGE_ID_INVALID', 'missing'],
  [403, 'Forbidden: bot was blocked by the user', 'gone'],
  [400, 'Bad Request: chat not found', 'gone'],
  [400, 'Bad Request: user is deactivated', 'gone'],
  [400, 'Bad Request: message is too long', 'refused'],
  [404, 'Not Found', 'refused'],
]

for (const [code, description, type] of refusals) {
  test(`of an edit or a removal, ${code} ${description} means ${type}`, async () => {
    const outcome = { type, ...(type === 'refused' && { why: description }) }
    assert.deepEqual(await edit(script(refused(code, description)).channel), outcome)
    assert.deepEqual(await script(refused(code, description)).channel.remove('7', '5', signal), outcome)
  })
}

test('a message is sent, refused, or its chat is gone', async () => {
  assert.deepEqual(await send(script(ok()).channel), { type: 'sent', message: '5' })
  assert.deepEqual(await send(script(ok({ message_id: 6 })).channel, file), { type: 'sent', message: '6' })
  assert.deepEqual(await send(script(refused(403, 'Forbidden')).channel), { type: 'gone' })
  // A new message is no change of one: what would be fine for a change is a refusal.
  for (const why of ['message is too long', 'message is not modified', 'message to edit not found']) {
    assert.deepEqual(await send(script(refused(400, why)).channel), { type: 'refused', why })
  }
})

test('a change that is made is done', async () => {
  const { channel, calls } = script(ok(true))
  assert.deepEqual(await edit(channel), { type: 'done' })
  assert.deepEqual(await channel.remove('7', '5', signal), { type: 'done' })
  assert.deepEqual(
    calls.map(({ method, args }) => [method, ...args]),
    [
      ['editMessage', '7', '5', 'a **b**', {}],
      ['deleteMessage', '7', '5'],
    ],
  )
})

test('a table is set in columns only where the message still fits', async () => {
  const { channel, calls } = script(ok())
  const table = ['| a | b |', '|---|---|', `| ${'x'.repeat(300)} | y |`, '| c | d |', '| e | f |'].join('\n')
  for (const before of [0, 3_500]) await send(channel, { type: 'markdown', text: `${'z'.repeat(before)}\n\n${table}` })
  const [short = '', long = ''] = calls.map(({ args }) => String(args[1]))
  assert.match(short, /\nc {301}d\n/)
  assert.match(long, /\n\| c \| d \|\n/)
})

test('a message does not become a file', async () => {
  const { channel, calls } = script(ok())
  assert.deepEqual(await edit(channel, file), { type: 'refused', why: 'a message cannot become a file' })
  assert.deepEqual(calls, [])
})

test('only Markdown goes as HTML; buttons and the quoted message go with the text', async () => {
  const { channel, calls } = script(ok())
  const buttons = [{ label: 'Yes', data: 'y' }]
  await send(channel, markdown)
  await channel.send('7', { ...plain, buttons }, { signal, replyTo: '3' })
  await edit(channel, { ...plain, buttons })
  const keyboard = { reply_markup: { inline_keyboard: [[{ text: 'Yes', callback_data: 'y' }]] } }
  assert.deepEqual(
    calls.map(({ args }) => args),
    [
      ['7', 'a <b>b</b>', { parse_mode: 'HTML' }],
      ['7', 'a **b**', { ...keyboard, replyTo: '3' }],
      ['7', '5', 'a **b**', keyboard],
    ],
  )
})

const markupFaults: readonly (readonly [answer: Answer, texts: readonly string[]])[] = [
  [refused(400, "Bad Request: can't parse entities: x"), ['a <b>b</b>', 'a **b**']],
  [refused(400, 'Bad Request: message text is empty'), ['a <b>b</b>', 'a **b**']],
  [refused(400, 'Bad Request: ENTITIES_TOO_LONG'), ['a <b>b</b>', 'a **b**']],
  [refused(400, 'Bad Request: message is too long'), ['a <b>b</b>']],
  [refused(403, "can't parse entities"), ['a <b>b</b>']],
]

for (const [answer, texts] of markupFaults) {
  test(`a message whose markup is answered ${JSON.stringify(answer)} is sent as ${texts.join(', then ')}`, async () => {
    const { channel, calls } = script(answer, ok())
    await send(channel, markdown)
    assert.deepEqual(
      calls.map(({ args }) => args[1]),
      texts,
    )
  })
}

const waits: readonly (readonly [what: string, answers: readonly Answer[], secs: readonly number[]])[] = [
  ['a limit for as long as it says', [refused(429, 'x', { retryAfterMs: 7_000 }), ok()], [0, 7]],
  ['a limit that does not say how long', [refused(429), ok()], [0, 1]],
  ['a token that is refused', [refused(401), ok()], [0, 60]],
  ['an error of the server', [refused(500), ok()], [0, 1]],
  ['a server that is away, twice as long each time', [away, away, away, ok()], [0, 1, 3, 7]],
  ['a server that is away for long, at most half a minute', outage(8), [0, 1, 3, 7, 15, 31, 61, 91]],
]

for (const [what, answers, secs] of waits) {
  test(`a change waits out ${what}`, async (t) => {
    const { channel, times } = script(...answers, ok())
    await withFakeClock(t, () => edit(channel))
    assert.deepEqual(times().slice(0, secs.length), secs)
  })
}

test('what a chat is told while it is limited waits in its order, without asking; another chat does not wait', async (t) => {
  const { channel, calls } = script(refused(429, 'x', { retryAfterMs: 7_000 }), ok())
  await withFakeClock(t, () =>
    Promise.all([send(channel), edit(channel), channel.remove('7', '5', signal), channel.remove('8', '5', signal)]),
  )
  assert.deepEqual(
    calls.map(({ method, args: [chat], atSecs }) => [method, chat, atSecs]),
    [
      ['sendMessage', '7', 0],
      ['deleteMessage', '8', 0],
      ['sendMessage', '7', 7],
      ['editMessage', '7', 7],
      ['deleteMessage', '7', 7],
    ],
  )
})

test('a message that Telegram cannot change holds up nothing else in its chat', async (t) => {
  const { channel, calls } = script(refused(500), ok())
  await withFakeClock(t, () => Promise.all([edit(channel), send(channel)]))
  assert.deepEqual(
    calls.map(({ method, atSecs }) => [method, atSecs]),
    [
      ['editMessage', 0],
      ['sendMessage', 0],
      ['editMessage', 1],
    ],
  )
})

test('an error below 500 stands', async () => {
  const { channel, calls } = script(refused(499), ok())
  assert.deepEqual(await edit(channel), { type: 'refused', why: 'no' })
  assert.equal(calls.length, 1)
})

test('a message that certainly did not arrive is sent again, as often as it takes', async (t) => {
  const { channel, calls } = script(away, away, away, ok())
  assert.deepEqual(await withFakeClock(t, () => send(channel)), { type: 'sent', message: '5' })
  assert.deepEqual(
    calls.map(({ method }) => method),
    ['sendMessage', 'sendMessage', 'sendMessage', 'sendMessage'],
  )
})

test('whoever no longer wants it ends a change that waits', async (t) => {
  const stop = new AbortController()
  const { channel, calls } = script(away)
  await withFakeClock(t, async () => {
    // The second try would come after a second.
    setTimeout(() => stop.abort(), 500)
    await assert.rejects(channel.edit('7', '5', plain, stop.signal))
  })
  assert.equal(calls.length, 1)
  await assert.rejects(channel.edit('7', '5', plain, stop.signal))
  assert.equal(calls.length, 1)
})

test('a press is answered once, whatever becomes of it', async () => {
  const { channel, calls, logged } = script(away)
  await channel.answerPress('p', 'Done', signal)
  assert.deepEqual(
    calls.map(({ method, args }) => [method, ...args]),
    [['answerCallbackQuery', 'p', 'Done']],
  )
  assert.deepEqual(logged, ['could not answer a press'])
})

const path = ok({ file_path: 'documents/a' })
const bytes = Buffer.from('bytes')
const files: readonly (readonly [what: string, answers: readonly Answer[], got: unknown, secs: readonly number[]])[] = [
  ['is fetched', [path, ok(bytes)], bytes, [0, 0]],
  ['without an address is not', [ok({})], { fault: 'Telegram gives no address for it' }, [0]],
  ['that is unknown is not', [refused(400, 'wrong file_id')], { fault: 'wrong file_id' }, [0]],
  ['that cannot be downloaded is not', [path, refused(404, 'HTTP 404')], { fault: 'HTTP 404' }, [0, 0]],
  ['is asked for again while the server is away', [away, path, ok(bytes)], bytes, [0, 1, 1]],
  ['is downloaded again after an error', [path, refused(500), path, ok(bytes)], bytes, [0, 0, 1, 1]],
  ['is given up after three tries', [away], { fault: 'no route' }, [0, 1, 2]],
]

for (const [what, answers, got, secs] of files) {
  test(`a file ${what}`, async (t) => {
    const { channel, times } = script(...answers)
    const fetched = await withFakeClock(t, () => channel.fetchFile({ id: 'f', name: 'a' }, 99, signal))
    assert.deepEqual([fetched, times()], [got, secs])
  })
}

test('a file is downloaded by its address, within its bound', async () => {
  const { channel, calls } = script(path, ok(bytes))
  await channel.fetchFile({ id: 'f', name: 'a' }, 99, signal)
  assert.deepEqual(
    calls.map(({ args }) => args),
    [['f'], ['documents/a', 99]],
  )
})
