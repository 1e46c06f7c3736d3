// The client of the Bot API: what its answers mean, and that the token is in none of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBotApi, isBotToken, type SendRequest } from '#doors/telegram/client.ts'

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

test('the token is masked where a server or the network repeats it', async () => {
  const said = [
    await api(answers(400, { ok: false, error_code: 400, description: `bad /bot${token}/getMe` })).getMe(signal),
    await api({ fault: `GET /bot${token}/getMe failed`, sent: true }).getMe(signal),
    await api({ fault: `GET /bot${token}/x failed`, sent: true }).download('x', 9, signal),
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
