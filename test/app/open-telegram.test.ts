// The Telegram door of a service: it follows the bot that is connected, and a chat that is paired gets notifications.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openTelegram, type OpenTelegram, type OpenTelegramParts } from '#app/open-telegram.ts'
import { createReadPdf } from '#app/read-pdf.ts'
import { readConfig } from '#config.ts'
import { newId, operator } from '#core/ids.ts'
import { maxWays } from '#core/notification.ts'
import { telegramSecret } from '#core/secret.ts'
import { silentLog } from '#lib/log.ts'
import { startBotApi } from '../doors/telegram/bot-api.ts'
import { pairChat } from '../doors/telegram/house.ts'
import { openTestApp } from '../doors/test-app.ts'
import { until } from '../until.ts'

/** A service without a bot, and the Bot API. */
async function house(t: TestContext) {
  const [api, app] = await Promise.all([startBotApi(), openTestApp()])
  const config = readConfig({ HOME: '/home/ann', TELEGRAM_API_URL: api.url })
  const follow: (() => Promise<void>)[] = []
  const logged: string[] = []
  const parts: OpenTelegramParts = {
    ...app,
    config: () => config,
    onReload: (reload) => void follow.push(reload),
    owner: newId(),
    readPdf: createReadPdf(),
    mask: (text) => text,
    log: { ...silentLog, warn: (_: object, message?: string) => void logged.push(message ?? '') },
  }
  const telegram: OpenTelegram = openTelegram(parts)
  t.after(async () => {
    await telegram.close()
    await app.close()
    await api.close()
  })
  const connect = async (name: string): Promise<void> => {
    await app.store.secrets.set(telegramSecret, api.token)
    await app.store.channels.connect({ channel: 'telegram', account: '4711', name })
  }
  const pair = (chat: number) => pairChat(app.store, api.person(chat))
  const { notifications } = app.store
  const targets = async () =>
    (await notifications.ways(operator)).map(({ kind, target, label }) => `${kind} ${target}, ${label}`)
  return {
    ...app,
    api,
    telegram,
    connect,
    pair,
    targets,
    logged,
    reload: () => Promise.all(follow.map((each) => each())),
  }
}

test('a bot is served once the service has started, also one that is connected later, until it is disconnected', async (t) => {
  const { api, bus, telegram, connect, reload, store } = await house(t)
  await connect('@first')
  await reload()
  assert.equal(telegram.bot(), undefined, 'a command serves no bot')
  await telegram.start()
  assert.equal(telegram.bot(), '@first')
  await until(() => api.polling)
  await store.channels.disconnect('telegram')
  bus.signal({ type: 'channels' })
  await until(() => telegram.bot() === undefined)
  await connect('@second')
  bus.signal({ type: 'secrets', owner: operator })
  await until(() => telegram.bot() === '@second')
})

test('a bot that is connected while the service stops is not served', async (t) => {
  const { telegram, connect, reload } = await house(t)
  await telegram.start()
  telegram.stop()
  await connect('@late')
  await reload()
  assert.equal(telegram.bot(), undefined)
})

test('the chat that is paired gets notifications, in place of the one before', async (t) => {
  const { telegram, connect, pair, targets } = await house(t)
  await connect('@bot')
  await telegram.start()
  await pair(7)
  await until(async () => (await targets()).join() === 'telegram 7, your paired chat')
  await pair(8)
  await until(async () => (await targets()).join() === 'telegram 8, your paired chat')
})

test('a paired chat that greets the bot again keeps what its user chose to be told', async (t) => {
  const { store, telegram, connect, pair, targets } = await house(t)
  await connect('@bot')
  await telegram.start()
  const person = await pair(7)
  await until(async () => (await targets()).length === 1)
  const { id } = (await store.notifications.ways(operator))[0] ?? {}
  assert.ok(id)
  await store.notifications.changeWay(operator, id, { content: true })
  const before = person.texts.length
  // The second is taken once the first is done with.
  for (const _ of [1, 2]) person.say('/start')
  await until(() => person.texts.length === before + 2)
  assert.deepEqual(
    (await store.notifications.ways(operator)).map((way) => [way.id, way.content]),
    [[id, true]],
  )
})

test('a user who has as many ways as they may is paired all the same, and the log says what is missing', async (t) => {
  const { store, telegram, connect, pair, targets, logged } = await house(t)
  const way = { kind: 'ntfy', label: 'ntfy', events: [], content: false } as const
  for (let at = 0; at < maxWays; at++)
    await store.notifications.addWay(operator, { ...way, target: `https://ntfy.example/${at}` }, maxWays)
  await connect('@bot')
  await telegram.start()
  await pair(7)
  await until(() => logged.length > 0)
  assert.match(logged.join(), /no way of notifications/)
  assert.equal((await targets()).includes('telegram 7, your paired chat'), false)
})
