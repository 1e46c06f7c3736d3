// The Telegram door in this process, over a stand-in of the Bot API and an app with a model that the test speaks for.
import type { TestContext } from 'node:test'
import { newId, operator, type UserId } from '#core/ids.ts'
import { createReadPdf } from '#app/read-pdf.ts'
import { openChannelDoor } from '#doors/channel/channel-door.ts'
import { createHold } from '#doors/channel/hold.ts'
import { newPairingCode } from '#doors/channel/pairing.ts'
import type { Channel } from '#doors/channel/channel.ts'
import { createBotApi } from '#doors/telegram/client.ts'
import { createTelegramChannel } from '#doors/telegram/telegram-channel.ts'
import { telegramRequests } from '#app/telegram-requests.ts'
import { silentLog, type Log } from '#lib/log.ts'
import { until } from '../../until.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../test-app.ts'
import { type FakeBotApi, startBotApi } from './bot-api.ts'

export type TelegramHouse = {
  readonly app: TestApp
  readonly api: FakeBotApi
  pair: (chat: number, user?: UserId) => Promise<Person>
  /** Closes the door, as a restart does, and opens another. */
  reopen: () => Promise<void>
  closeDoor: () => Promise<void>
  openDoor: () => void
  /** Tells the door that posts were added. */
  wake: () => void
  readonly logged: object[]
}
export type Person = ReturnType<FakeBotApi['person']>

/** Pairs a chat, and waits until the chat knows. */
export async function pairChat({ channels }: TestApp['store'], person: Person, user = operator): Promise<Person> {
  const { code, stored } = newPairingCode('telegram', user, Date.now())
  await channels.addCode(stored)
  person.say(`/start ${code}`)
  await until(() => person.texts.some((text) => text.startsWith('This chat is now yours')))
  return person
}

type HouseOptions = TestAppOptions & {
  /** Between two edits of a message; 0 unless the test is about it. */
  readonly editGapMs?: number
  readonly log?: Log
}

export async function openHouse(t: TestContext, options: HouseOptions = {}): Promise<TelegramHouse> {
  const api = await startBotApi()
  const app = await openTestApp(options)
  const logged: object[] = []
  const note = (fields: object, message?: string): void => void logged.push({ ...fields, message })
  const log: Log = { ...silentLog, info: note, warn: note, error: note }
  await app.store.channels.connect({ channel: 'telegram', account: '4711', name: '@atrium_test_bot' })
  const open = () => {
    const hold = createHold({ leases: app.store.leases, channel: 'telegram', owner: newId() })
    const send = telegramRequests({})
    const bot = createBotApi({ api: api.url, token: api.token, send, mayWrite: () => hold.held })
    const channel: Channel = { ...createTelegramChannel({ api: bot, log }), editGapMs: options.editGapMs ?? 0 }
    return openChannelDoor({
      channel,
      store: app.store,
      turns: app.turns,
      threads: app.threads,
      gates: app.gates,
      readPdf: createReadPdf(),
      hold,
      linkOf: (threadId) => `https://atrium.example/threads/${threadId}`,
      mask: (text) => text,
      onStart: () => Promise.resolve(),
      nameOf: (user) => Promise.resolve(String(user)),
      log,
    })
  }
  let door: ReturnType<typeof open> | undefined = open()
  const house: TelegramHouse = {
    app,
    api,
    logged,
    pair: (chat, user) => pairChat(app.store, api.person(chat), user),
    async closeDoor() {
      await door?.close()
      door = undefined
    },
    openDoor() {
      door ??= open()
    },
    wake: () => door?.wake(),
    async reopen() {
      await house.closeDoor()
      house.openDoor()
    },
  }
  t.after(async () => {
    await house.closeDoor()
    await app.close()
    await api.close()
  })
  return house
}
