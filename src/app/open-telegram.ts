// Opens the Telegram door while a bot is connected. Its code is loaded with the first bot.
import type { Config } from '#config.ts'
import type { Bus } from '#core/bus.ts'
import type { PairedChat } from '#core/channel.ts'
import { AppError } from '#core/errors.ts'
import { operator, type UserId } from '#core/ids.ts'
import { maxWays, newsEvents } from '#core/notification.ts'
import { telegramSecret } from '#core/secret.ts'
import type { Store } from '#core/store.ts'
import type { ChannelDoor, ChannelDoorParts } from '#doors/channel/channel-door.ts'
import { createSerialReload } from './serial-reload.ts'

export type OpenTelegram = {
  /** The name of the bot that is served. */
  readonly bot: () => string | undefined
  /** Serves the bot that is connected, now and whenever that changes: for a service, not for a command. */
  start(): Promise<void>
  /** Takes no more messages; replies go on until `close`. */
  stop(): void
  close(): Promise<void>
}

export type OpenTelegramParts = Omit<
  ChannelDoorParts,
  'channel' | 'hold' | 'store' | 'linkOf' | 'nameOf' | 'onStart'
> & {
  /** The id of this process among all. */
  readonly owner: string
  readonly store: Store
  readonly bus: Bus
  readonly config: () => Config
  readonly onReload: (follow: () => Promise<void>) => void
}

export function openTelegram(parts: OpenTelegramParts): OpenTelegram {
  const { store, bus, log } = parts
  const serially = createSerialReload()
  let open: { readonly token: string; readonly bot: string; readonly door: ChannelDoor } | undefined
  let started = false
  let closed = false

  /** Opens the door of the token that is stored, and closes that of another. */
  const look = (): Promise<void> =>
    serially('telegram', async () => {
      if (!started || closed) return
      const account = await store.channels.account('telegram')
      const token = account && (await store.secrets.get(telegramSecret))
      if (token === open?.token) return
      await open?.door.close()
      open = undefined
      if (account === undefined || token === undefined) return
      const { openTelegramDoor } = await import('./telegram-door.ts')
      open = {
        token,
        bot: account.name,
        door: openTelegramDoor(parts.config(), token, {
          ...parts,
          nameOf: (user) => nameOf(store, user),
          onStart: (chat) => addWay(parts, chat),
        }),
      }
      log.info({ bot: account.name }, 'telegram is connected')
    })

  bus.onSignal((signal) => {
    if (signal.type === 'channels' || signal.type === 'removed') open?.door.wake()
    const concerns = signal.type === 'channels' || (signal.type === 'secrets' && signal.owner === operator)
    if (!concerns) return
    look().catch((error: unknown) => log.error({ err: error }, 'could not open the Telegram door'))
  })
  parts.onReload(async () => {
    open?.door.wake()
    await look()
  })
  return {
    bot: () => open?.bot,
    async start() {
      started = true
      await look()
    },
    stop() {
      closed = true
      open?.door.stop()
    },
    async close() {
      closed = true
      await serially('close', async () => open?.door.close())
    },
  }
}

async function nameOf({ accounts }: Pick<Store, 'accounts'>, user: UserId): Promise<string> {
  if (user === operator) return operator
  return (await accounts.listUsers()).find(({ id }) => id === user)?.name ?? user
}

/** The chat is also a way of notifications, unless it is one already. A user who has too many ways gets none. */
async function addWay({ store, bus, log }: OpenTelegramParts, { chat, user }: PairedChat): Promise<void> {
  const { notifications } = store
  const ways = (await notifications.ways(user)).filter(({ kind }) => kind === 'telegram')
  if (ways.some(({ target }) => target === chat)) return
  if (ways.length > 0) await notifications.removeWays(user, 'telegram')
  const way = { kind: 'telegram', target: chat, label: 'your paired chat', events: newsEvents, content: false } as const
  try {
    await notifications.addWay(user, way, maxWays)
    bus.signal({ type: 'notifications', what: 'ways' })
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'invalid_input')) throw error
    log.warn({ user }, 'a paired chat is no way of notifications: the user has as many as they may')
  }
}
