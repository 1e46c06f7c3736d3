// Builds the Telegram door of one bot.
import type { Config } from '#config.ts'
import { type ChannelDoor, type ChannelDoorParts, openChannelDoor } from '#doors/channel/channel-door.ts'
import { createBotApi } from '#doors/telegram/client.ts'
import { createTelegramChannel } from '#doors/telegram/telegram-channel.ts'
import { pageOf } from './page-address.ts'
import { telegramRequests } from './telegram-requests.ts'

export function openTelegramDoor(
  config: Config,
  token: string,
  parts: Omit<ChannelDoorParts, 'channel' | 'linkOf'>,
): ChannelDoor {
  const { telegramApi: api, proxy } = config
  const bot = createBotApi({ api, token, send: telegramRequests(proxy) })
  const channel = createTelegramChannel({ api: bot, log: parts.log })
  const page = pageOf(config)
  return openChannelDoor({ ...parts, channel, linkOf: (threadId) => page && `${page}/threads/${threadId}` })
}
