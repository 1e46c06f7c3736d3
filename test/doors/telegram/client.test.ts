// The client of the Bot API: what its answers mean, and that the token is in none of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BotApi, createBotApi, isBotToken, type SendRequest } from '#doors/telegram/client.ts'

const token = '4711:AAE-a-token-for-the-tests-of-atrium'
const signal = new AbortController().signal

function api(answer: Awaited<ReturnType<SendRequest>>, asked: string[] = []) {
  return createBotApi({
    api: 'http://127.0.0.1:1/',
    token,
    send({ url, body }) {
      asked.push(`${url} ${body?.toString() ?? ''}`)
      return Promise.resolve(answer)
    },
  })
}
const answers = (status: number, body: unknown) => ({ status, body: Buffer.from(JSON.stringify(body)) })

test('a token has the id of its bot and a secret', () => {
  assert.deepEqual([token, '4711', 'x:y', `${token} `, `https://${token}`].map(isBotToken), [
    true,
    false,
    false,
    false,
    false,
  ])
  assert.equal(api(answers(200, {})).botId, '4711')
})

test('what the server says is ok, refused or unreachable', async () => {
  const me = { id: 4711, is_bot: true, first_name: 'A', username: 'a_bot' }
  assert.deepEqual(await api(answers(200, { ok: true, result: me })).getMe(signal), {
    type: 'ok',
    result: { id: 4711, first_name: 'A', username: 'a_bot' },
  })
  const limited = { ok: false, error_code: 429, description: 'Too Many', parameters: { retry_after: 3 } }
  assert.deepEqual(await api(answers(429, limited)).getMe(signal), {
    type: 'refused',
    code: 429,
    description: 'Too Many',
    retryAfterMs: 3_000,
  })
  for (const body of ['<html>', { ok: true, result: { id: 'x' } }, { ok: 'maybe' }, null]) {
    assert.equal((await api(answers(200, body)).getMe(signal)).type, 'unreachable')
  }
  assert.deepEqual(await api({ fault: 'no way', sent: false }).getMe(signal), {
    type: 'unreachable',
    why: 'no way',
    sent: false,
  })
})

test('an answer of more brackets than are parsed, and one with more updates than were asked for, are none', async () => {
  const deep = { status: 200, body: Buffer.from(`{"ok":true,"result":${'['.repeat(40_000)}${']'.repeat(40_000)}}`) }
  const unreadable = {
    type: 'unreachable',
    why: 'the server answered with HTTP 200, and not as a Bot API does',
    sent: true,
  }
  assert.deepEqual(await api(deep).deleteMessage('7', '5', signal), { ...unreadable, tooLarge: true })
  const flood = answers(200, { ok: true, result: [{ update_id: 1 }, { update_id: 2 }] })
  assert.deepEqual(await api(flood).getUpdates({ limit: 1, timeoutSecs: 0 }, signal), unreadable)
})

test('the token is masked where a server or the network repeats it', async () => {
  const said = [
    await api(answers(400, { ok: false, error_code: 400, description: `bad /bot${token}/getMe` })).getMe(signal),
    await api({ fault: `GET /bot${token}/getMe failed`, sent: true }).getMe(signal),
    await api({ fault: `GET /bot${token}/x failed`, sent: true }).download('x', 9, signal),
    await api({ fault: `GET /bot4711%3A${token.slice(5)}/x failed`, sent: true }).download('x', 9, signal),
  ]
  assert.doesNotMatch(JSON.stringify(said), /AAE-a-token/)
})

test('addresses in messages get no preview, and a path of a file is escaped', async () => {
  const asked: string[] = []
  const bot = api(answers(200, { ok: true, result: { message_id: 1 } }), asked)
  await bot.sendMessage('7', 'see https://a.example', { replyTo: '3' }, signal)
  await bot.editMessage('7', '1', 'see https://a.example', {}, signal)
  await bot.download('a b/../c?d', 9, signal)
  assert.match(asked[0] ?? '', /"link_preview_options":\{"is_disabled":true\}.*"allow_sending_without_reply":true/)
  assert.match(asked[1] ?? '', /"link_preview_options":\{"is_disabled":true\}/)
  assert.match(asked[2] ?? '', /\/a%20b\/\.\.\/c%3Fd /)
})

type Sent = Parameters<SendRequest>

function recording(answer: Awaited<ReturnType<SendRequest>>, mayWrite?: () => boolean) {
  const sent: Sent[] = []
  const bot = createBotApi({
    api: 'http://127.0.0.1:1//',
    token,
    send: (...given) => {
      sent.push(given)
      return Promise.resolve(answer)
    },
    ...(mayWrite && { mayWrite }),
  })
  return { bot, sent }
}

const done = answers(200, { ok: true, result: { message_id: 1 } })
const noPreview = { link_preview_options: { is_disabled: true } }
const keyboard = { inline_keyboard: [[{ text: 'Yes', callback_data: 'y' }]] }

const requests: readonly (readonly [method: string, call: (bot: BotApi) => Promise<unknown>, params: object])[] = [
  ['getMe', (bot) => bot.getMe(signal), {}],
  [
    'getUpdates',
    (bot) => bot.getUpdates({ limit: 9, timeoutSecs: 25 }, signal),
    { timeout: 25, limit: 9, allowed_updates: ['message', 'edited_message', 'callback_query'] },
  ],
  [
    'getUpdates',
    (bot) => bot.getUpdates({ offset: 0, limit: 9, timeoutSecs: 0 }, signal),
    { timeout: 0, limit: 9, allowed_updates: ['message', 'edited_message', 'callback_query'], offset: 0 },
  ],
  ['sendMessage', (bot) => bot.sendMessage('7', 'hi', {}, signal), { chat_id: 7, text: 'hi', ...noPreview }],
  [
    'sendMessage',
    (bot) => bot.sendMessage('7', 'hi', { parse_mode: 'HTML', reply_markup: keyboard, replyTo: '3' }, signal),
    {
      chat_id: 7,
      text: 'hi',
      ...noPreview,
      parse_mode: 'HTML',
      reply_markup: keyboard,
      reply_parameters: { message_id: 3, allow_sending_without_reply: true },
    },
  ],
  [
    'editMessageText',
    (bot) => bot.editMessage('7', '5', 'hi', { parse_mode: 'HTML' }, signal),
    { chat_id: 7, message_id: 5, text: 'hi', ...noPreview, parse_mode: 'HTML' },
  ],
  ['deleteMessage', (bot) => bot.deleteMessage('7', '5', signal), { chat_id: 7, message_id: 5 }],
  ['answerCallbackQuery', (bot) => bot.answerCallbackQuery('q', '', signal), { callback_query_id: 'q' }],
  ['answerCallbackQuery', (bot) => bot.answerCallbackQuery('q', 'Hi', signal), { callback_query_id: 'q', text: 'Hi' }],
  ['getFile', (bot) => bot.getFile('f', signal), { file_id: 'f' }],
  [
    'setMyCommands',
    (bot) => bot.setMyCommands([{ command: 'new', description: 'x' }], signal),
    { commands: [{ command: 'new', description: 'x' }] },
  ],
]

for (const [method, call, params] of requests) {
  test(`${method} sends ${JSON.stringify(params).slice(0, 80)}`, async () => {
    const { bot, sent } = recording(done)
    await call(bot)
    const [request, bounds] = sent[0] ?? assert.fail('nothing sent')
    assert.equal(request.url, `http://127.0.0.1:1/bot${token}/${method}`)
    assert.deepEqual([...(request.headers ?? [])], [['content-type', 'application/json']])
    assert.deepEqual(JSON.parse(request.body?.toString() ?? ''), params)
    const timeout = 'timeout' in params ? Number(params.timeout) * 1_000 + 15_000 : 30_000
    assert.deepEqual([bounds.maxBytes, bounds.timeoutMs, bounds.signal], [4 * 1024 * 1024, timeout, signal])
  })
}

test('half a character, with which a reply that grows may end, is sent as a mark: Telegram would refuse the request', async () => {
  const { bot, sent } = recording(done)
  await bot.sendMessage('7', 'so \ud83d', {}, signal)
  await bot.editMessage('7', '5', 'so \ud83d', {}, signal)
  const texts = sent.map(([{ body }]) => (JSON.parse(body?.toString() ?? '') as { text: string }).text)
  assert.deepEqual(texts, ['so \ufffd', 'so \ufffd'])
})

test('a document goes as a form, under a name that needs no quoting', async () => {
  const { bot, sent } = recording(done)
  assert.deepEqual(await bot.sendDocument('7', { name: 'a "b".txt', text: 'é' }, signal), {
    type: 'ok',
    result: { message_id: 1 },
  })
  const [{ url, headers, body }] = sent[0] ?? assert.fail('nothing sent')
  assert.match(url, /\/sendDocument$/)
  const [, boundary] = /^multipart\/form-data; boundary=(atrium-\w+)$/.exec(headers?.get('content-type') ?? '') ?? []
  assert.deepEqual(body?.toString().split('\r\n'), [
    `--${boundary}`,
    'content-disposition: form-data; name="chat_id"',
    '',
    '7',
    `--${boundary}`,
    'content-disposition: form-data; name="document"; filename="a__b_.txt"',
    'content-type: text/plain; charset=utf-8',
    '',
    'é',
    `--${boundary}--`,
    '',
  ])
})

test('every call that changes something asks at the last moment whether it may; a download need not', async () => {
  const mayWrite = (): boolean => true
  const { bot, sent } = recording(done, mayWrite)
  await bot.sendMessage('7', 'hi', {}, signal)
  await bot.sendDocument('7', { name: 'a', text: 'x' }, signal)
  assert.deepEqual(
    sent.map(([request]) => request.mayWrite),
    [mayWrite, mayWrite],
  )
})

test('a download is bounded, and what is not found is refused', async () => {
  const { bot, sent } = recording({ status: 200, body: Buffer.from('bytes') })
  assert.deepEqual(await bot.download('a/b', 9, signal), { type: 'ok', result: Buffer.from('bytes') })
  assert.deepEqual(
    sent.map(([request, bounds]) => [request.url, bounds.maxBytes, bounds.timeoutMs]),
    [[`http://127.0.0.1:1/file/bot${token}/a/b`, 9, 30_000]],
  )
  assert.deepEqual(await recording({ status: 404, body: Buffer.from('') }).bot.download('a', 9, signal), {
    type: 'refused',
    code: 404,
    description: 'HTTP 404',
  })
})

const limits: readonly (readonly [secs: number | undefined, waitMs: number | undefined])[] = [
  [undefined, undefined],
  [0, 1_000],
  [1, 1_000],
  [2, 2_000],
  [3_600, 3_600_000],
  [3_601, 3_600_000],
]

for (const [secs, waitMs] of limits) {
  test(`a limit of ${secs} seconds is one of ${waitMs} milliseconds`, async () => {
    const parameters = { ...(secs !== undefined && { retry_after: secs }) }
    const { bot } = recording(answers(429, { ok: false, error_code: 429, parameters }))
    assert.deepEqual(await bot.getMe(signal), {
      type: 'refused',
      code: 429,
      description: '',
      ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    })
  })
}

test('an answer that was too long says so, and long words of a server are cut', async () => {
  const fault = { fault: 'x'.repeat(400), sent: true, tooLarge: true } as const
  assert.deepEqual(await recording(fault).bot.getMe(signal), {
    type: 'unreachable',
    why: 'x'.repeat(300),
    sent: true,
    tooLarge: true,
  })
  const notOurs = await recording(answers(502, 'x')).bot.getMe(signal)
  assert.deepEqual(notOurs, {
    type: 'unreachable',
    why: 'the server answered with HTTP 502, and not as a Bot API does',
    sent: true,
  })
})
