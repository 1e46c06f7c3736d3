// `atrium telegram`: a bot is connected once its token was tried, and chats are paired by a line.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { startBotApi } from '../doors/telegram/bot-api.ts'
import { atrium, serve } from '../atrium.ts'
import { newHome } from '../new-home.ts'
import { until } from '../until.ts'

const home = newHome()
const api = await startBotApi()
const env = { TELEGRAM_API_URL: api.url }
after(async () => {
  await api.close()
  home.remove()
})
const telegram = (args: readonly string[], input = '') => atrium(home.path, ['telegram', ...args], { env, input })

test('a wrong token is said at once, and nothing is stored', async () => {
  for (const [token, says] of [
    ['4711:AAE-another-token-that-is-wrong', /the token is wrong/],
    ['hello', /a token looks like/],
    ['', /empty/],
  ] as const) {
    const { code, stderr, stdout } = await telegram(['connect'], token)
    assert.notEqual(code, 0)
    assert.match(stderr, says)
    assert.doesNotMatch(stdout + stderr, /AAE-another/)
  }
  const away = await atrium(home.path, ['telegram', 'connect'], {
    env: { TELEGRAM_API_URL: 'http://127.0.0.1:9' },
    input: api.token,
  })
  assert.match(away.stderr, /could not be tried: 127\.0\.0\.1:\d+ could not be reached/)
  assert.match((await telegram(['pair'])).stderr, /no bot is connected: .*telegram connect/)
  assert.doesNotMatch((await atrium(home.path, ['secret', 'list'])).stdout, /telegram/)
})

test('two commands connect a bot and pair a chat, with a service that runs', async () => {
  const service = await serve(home.path, env)
  try {
    const connected = await telegram(['connect'], `${api.token}\n`)
    assert.equal(connected.code, 0, connected.stderr)
    assert.match(
      connected.stdout,
      /token of @atrium_test_bot[^]*stored, sealed[^]*running service serves it now[^]*telegram pair/,
    )
    const { stdout } = await telegram(['pair', '--json'])
    const { line, link } = JSON.parse(stdout) as { line: string; link: string }
    assert.match(line, /^\/start [A-Z0-9]{12}$/)
    assert.equal(link, `https://t.me/atrium_test_bot?start=${line.slice(7)}`)
    const ada = api.person(7)
    ada.say(line)
    await until(() => ada.texts.some((text) => text.startsWith('This chat is now yours')))
    assert.deepEqual(waysOf(), ['telegram'])
    assert.match((await atrium(home.path, ['status'], { env })).stdout, /\btelegram @atrium_test_bot\n/)
    ada.say('what is 2+2?')
    await until(() => ada.texts.some((text) => /\b4\b/.test(text)))
    assert.equal((await telegram(['unpair', 'operator'])).code, 0)
    assert.deepEqual(waysOf(), [])
    assert.match((await telegram(['unpair', 'operator'])).stderr, /no chat is paired with operator/)
    assert.match((await telegram(['pair', 'nobody'])).stderr, /no user is named nobody/)
    const heard = ada.heard.length
    ada.say('still there?')
    await until(() => api.pending === 0)
    assert.equal(ada.heard.length, heard)
    await atrium(home.path, ['user', 'add', 'bea'])
    const again = JSON.parse((await telegram(['pair', 'bea', '--json'])).stdout) as { user: string; line: string }
    assert.equal(again.user, 'bea')
    const bea = api.person(8)
    bea.say(again.line)
    await until(() => waysOf().length === 1)
    const gone = await telegram(['disconnect'])
    assert.match(gone.stdout, /@atrium_test_bot is disconnected/)
    await until(() => !api.polling)
    assert.deepEqual(waysOf(), [])
    assert.doesNotMatch((await atrium(home.path, ['secret', 'list'])).stdout, /telegram/)
    assert.match((await telegram(['disconnect'])).stderr, /no bot is connected/)
  } finally {
    await service.stop()
  }
  const secret = api.token.split(':')[1] ?? ''
  for (const file of readdirSync(home.path, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) assert(!readFileSync(join(file.parentPath, file.name)).includes(secret), file.name)
  }
})

function waysOf(): string[] {
  const database = new DatabaseSync(join(home.path, 'atrium.db'), { readOnly: true })
  try {
    return database
      .prepare('SELECT kind FROM notification_ways')
      .all()
      .map(({ kind }) => String(kind))
  } finally {
    database.close()
  }
}
