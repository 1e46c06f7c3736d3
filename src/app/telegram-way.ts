// Builds the Telegram way of notifications: the bot's messages, and questions that the door asks with buttons.
import type { Config } from '#config.ts'
import type { Bus } from '#core/bus.ts'
import type { UserId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import { addGateQuestion } from '#doors/channel/gate-posts.ts'
import { createBotApi } from '#doors/telegram/client.ts'
import type { SendBy } from '#reach/way.ts'
import { createTelegramWay } from '#reach/ways/telegram.ts'
import type { Gates } from '#turns/gates.ts'
import { telegramSecret } from '#core/secret.ts'
import { telegramRequests } from './telegram-requests.ts'

export type TelegramWayParts = {
  readonly store: Store
  readonly bus: Bus
  readonly gates: Pick<Gates, 'inThread'>
  readonly config: () => Config
  readonly mask: (text: string, user: UserId) => string
  /** The address of the page; undefined if it is not known. */
  readonly page: () => string | undefined
}

export function openTelegramWay({ store, bus, gates, config, mask, page }: TelegramWayParts): SendBy {
  const { channels } = store
  const linkOf = (threadId: string): string | undefined => {
    const origin = page()
    return origin && `${origin}/threads/${threadId}`
  }
  return createTelegramWay({
    page,
    async send(chat, text, signal) {
      const token = await store.secrets.get(telegramSecret)
      if (token === undefined) return { type: 'unreachable', why: 'no bot is connected', sent: false }
      const { telegramApi: api, proxy } = config()
      return createBotApi({ api, token, send: telegramRequests(proxy) }).sendMessage(chat, text, {}, signal)
    },
    isPaired: async (user, chat) => (await channels.chat('telegram', chat))?.user === user,
    async ask(user, chat, { threadId, callId }) {
      const [open] = await gates.inThread(user, threadId, callId)
      if (!open) return
      await addGateQuestion({ store: channels, linkOf, mask }, { channel: 'telegram', chat, user }, open)
      // The process that has the channel asks it, which may be another.
      bus.signal({ type: 'channels' })
    },
  })
}
