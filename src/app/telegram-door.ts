// Builds the Telegram door of one bot.
import type { Config } from '#config.ts'
import type { Store } from '#core/store.ts'
import { type ChannelDoor, type ChannelDoorParts, openChannelDoor } from '#doors/channel/channel-door.ts'
import { createHold } from '#doors/channel/hold.ts'
import { createBotApi } from '#doors/telegram/client.ts'
import { createTelegramChannel } from '#doors/telegram/telegram-channel.ts'
import { pageOf } from './page-address.ts'
import { telegramRequests } from './telegram-requests.ts'

export type TelegramDoorParts = Omit<ChannelDoorParts, 'channel' | 'hold' | 'linkOf' | 'store'> & {
  readonly store: Pick<Store, 'channels' | 'leases'>
  /** The id of this process among all. */
  readonly owner: string
}

export function openTelegramDoor(config: Config, token: string, { owner, ...parts }: TelegramDoorParts): ChannelDoor {
  const { telegramApi: api, proxy } = config
  const hold = createHold({ leases: parts.store.leases, channel: 'telegram', owner })
  const bot = createBotApi({ api, token, send: telegramRequests(proxy), mayWrite: () => hold.held })
  const channel = createTelegramChannel({ api: bot, log: parts.log })
  const page = pageOf(config)
  return openChannelDoor({ ...parts, channel, hold, linkOf: (threadId) => page && `${page}/threads/${threadId}` })
}
