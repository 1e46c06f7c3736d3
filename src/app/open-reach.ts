// Opens notifications: what puts news into the outbox, the sender of this process, and the verbs for doors. The ways are
// loaded with their first message.
import type { Config } from '#config.ts'
import type { Bus } from '#core/bus.ts'
import type { UserId } from '#core/ids.ts'
import type { Lease } from '#core/lease.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { loadOnce } from '#lib/load-once.ts'
import type { Log } from '#lib/log.ts'
import type { Notifications } from '#reach/notifications.ts'
import type { Sender } from '#reach/sender.ts'
import { createTeller } from '#reach/tell.ts'
import type { Ways } from '#reach/way.ts'
import type { Gates } from '#turns/gates.ts'
import { lazyDial } from './lazy-dial.ts'
import { pageOf } from './page-address.ts'

export type OpenReach = {
  /** Loaded when they are first asked for. */
  readonly notifications: () => Promise<Notifications>
  /** News of a user was put into the outbox. */
  readonly added: (user: UserId) => void
  /** Sends from now on: for a service, not for a command that opens the app for a moment. */
  start(): Promise<void>
  /** Sends nothing more: to be called after the turns are drained. */
  close(): Promise<void>
}

export type OpenReachParts = {
  readonly store: Store
  readonly bus: Bus
  readonly lease: Lease
  readonly config: () => Config
  readonly onRest: (listener: (turn: Turn) => void) => void
  readonly mask: (text: string, user: UserId) => string
  readonly gates: Pick<Gates, 'inThread'>
  readonly log: Log
}

export function openReach(parts: OpenReachParts): OpenReach {
  const { store, bus, lease, onRest, mask, log } = parts
  const teller = createTeller({ store, bus, log })
  let sender: Promise<Sender> | undefined
  let closed = false
  const open = loadOnce(() => load(parts))
  const startSending = async (): Promise<void> => {
    if (closed || sender) return
    sender = Promise.all([open(), import('#reach/sender.ts')]).then(([{ ways }, { startSender }]) =>
      startSender({ store, owner: lease.owner, ways, bus, mask, catchUp: () => teller.catchUp(), log }),
    )
    try {
      ;(await sender).start()
    } catch (error) {
      // The next signal tries again.
      sender = undefined
      throw error
    }
  }
  let started = false
  onRest((turn) => teller.rested(turn))
  // Nothing is loaded as long as no user has a way.
  bus.onSignal((signal) => {
    if (signal.type !== 'notifications' || !started) return
    startSending().catch((error: unknown) => log.error({ err: error }, 'could not start sending notifications'))
  })
  return {
    added: (user) => teller.added(user),
    notifications: async () => (await open()).notifications,
    async start() {
      started = true
      if ((await store.notifications.usersWithWays()).length > 0) await startSending()
    },
    async close() {
      closed = true
      await teller.close()
      await (await sender)?.close()
    },
  }
}

type Opened = { readonly ways: Ways; readonly notifications: Notifications }

async function load(given: OpenReachParts): Promise<Opened> {
  const { store, bus, config } = given
  const [{ createNotifications }, { createPushKeys }, { createPost }, { createRefusal }] = await Promise.all([
    import('#reach/notifications.ts'),
    import('#reach/push-keys.ts'),
    import('#net/post.ts'),
    import('#net/fetch.ts'),
  ])
  const { privateHosts, proxy } = config()
  const pushKeys = createPushKeys(store.notifications)
  const post = createPost({ dial: lazyDial(proxy), privateHosts })
  const page = (): string | undefined => pageOf(config())
  const ways: Ways = {
    ntfy: async () => (await import('#reach/ways/ntfy.ts')).createNtfy({ post, page }),
    push: async () =>
      (await import('#reach/ways/push.ts')).createPush({ post, keys: pushKeys, contact: () => contactOf(config()) }),
    telegram: async () => (await import('./telegram-way.ts')).openTelegramWay({ ...given, page }),
  }
  const parts = { store, bus, ways, pushKeys, refusalOf: createRefusal({ privateHosts }) }
  return { ways, notifications: createNotifications(parts) }
}

/** Some push services refuse an address of this machine. */
function contactOf(config: Config): string {
  const page = pageOf(config)
  return page?.startsWith('https://') ? page : 'mailto:atrium@example.com'
}
