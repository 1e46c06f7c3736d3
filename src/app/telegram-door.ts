// Builds the Telegram door of one bot.
import type { Config } from '#config.ts'
import { type ChannelDoor, type ChannelDoorParts, openChannelDoor } from '#doors/channel/channel-door.ts'
import { createBotApi } from '#doors/telegram/client.ts'
import { createTelegramChannel } from '#doors/telegram/telegram-channel.ts'
import { telegramRequests } from './telegram-requests.ts'

export function openTelegramDoor(
  { telegramApi: api, proxy, gateway }: Config,
  token: string,
  parts: Omit<ChannelDoorParts, 'channel' | 'linkOf'>,
): ChannelDoor {
  const bot = createBotApi({ api, token, send: telegramRequests(proxy) })
  const channel = createTelegramChannel({ api: bot, log: parts.log })
  const page = gateway.allowedOrigins[0] ?? `http://${gateway.host}:${gateway.port}`
  return openChannelDoor({ ...parts, channel, linkOf: (threadId) => `${page}/threads/${threadId}` })
}
