// Notifications for doors: a user's ways, quiet hours and outbox. Doors translate; the rules are here.
import { ECDH } from 'node:crypto'
import type { Bus } from '#core/bus.ts'
import { AppError, wrongField } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import {
  type GoneWay,
  maxWays,
  type NewsEvent,
  newsEvents,
  type NewWay,
  type NotificationWay,
  type OutboxEntry,
  type Quiet,
  type WayChange,
} from '#core/notification.ts'
import type { Page, PageQuery } from '#core/page.ts'
import type { Store } from '#core/store.ts'
import { within } from '#lib/deadline.ts'
import { machineZone } from '#core/time.ts'
import type { PushKeys } from './push-keys.ts'
import { readQuiet } from './quiet.ts'
import { sendBy } from './sender.ts'
import type { Outcome, Ways } from './way.ts'

const maxLabelChars = 100
/** A person waits for a test. */
const testMs = 30_000
/** Bytes of a browser's public key, and of its secret (RFC 8291). */
const subscriptionKeys = [
  ['p256dh', 65],
  ['auth', 16],
] as const

/** The fields of a new way that its user sets. */
export type WayInput = {
  readonly kind: string
  readonly url?: string | undefined
  readonly subscription?: unknown
  readonly events?: readonly string[] | undefined
  readonly content?: boolean | undefined
  /** The browser of a push subscription, in words. */
  readonly browser?: string | undefined
  /** The endpoint that the browser had before: its way is replaced, and what was chosen for it stays. */
  readonly replaces?: string | undefined
}

export type NotificationsView = {
  readonly ways: readonly NotificationWay[]
  /** Ways that were removed because they were gone. */
  readonly gone: readonly GoneWay[]
  readonly quiet: Quiet | undefined
  readonly pushKey: string
}

export interface Notifications {
  view(user: UserId): Promise<NotificationsView>
  /** These throw invalid_input that names the field. */
  addWay(user: UserId, input: WayInput): Promise<NotificationWay>
  /** Throws not_found. */
  changeWay(
    user: UserId,
    id: string,
    change: { readonly events?: readonly string[] | undefined; readonly content?: boolean | undefined },
  ): Promise<NotificationWay>
  /** Removes a way, or the note about one that was gone. Throws not_found. */
  removeWay(user: UserId, id: string): Promise<void>
  /** Sends a test message now. A way that turns out to be gone is removed. Throws not_found. */
  test(user: UserId, id: string): Promise<Outcome>
  /** Without a zone it is the user's, as for missions. */
  setQuiet(user: UserId, quiet: (Omit<Quiet, 'zone'> & { readonly zone?: string | undefined }) | null): Promise<void>
  outbox(user: UserId, query: PageQuery): Promise<Page<OutboxEntry>>
}

export type NotificationsParts = {
  readonly store: Pick<Store, 'notifications' | 'missions'>
  readonly bus: Pick<Bus, 'signal' | 'publishChange'>
  readonly ways: Ways
  readonly pushKeys: () => Promise<PushKeys>
  /** Why a URL is refused by the address rules; undefined if it is not. */
  readonly refusalOf: (url: string) => string | undefined
}

export function createNotifications({ store, bus, ways, pushKeys, refusalOf }: NotificationsParts): Notifications {
  const { notifications } = store

  function changed(user: UserId): void {
    bus.signal({ type: 'notifications', what: 'ways' })
    bus.publishChange({ userId: user }, {})
  }

  function checkUrl(url: string, field: string): string {
    const refusal = refusalOf(url)
    if (refusal !== undefined) throw wrongField(field, `is refused: ${refusal}`)
    return url
  }

  function targetOf({ kind, url, subscription, browser }: WayInput): Pick<NewWay, 'kind' | 'target' | 'label'> {
    switch (kind) {
      case 'ntfy': {
        if (url === undefined)
          throw wrongField('url', 'is missing: the address of a topic, such as https://ntfy.sh/TOPIC')
        const target = new URL(checkUrl(url.trim(), 'url'))
        if (target.pathname === '/') throw wrongField('url', 'has no topic: it must be like https://ntfy.sh/TOPIC')
        return { kind, target: target.href, label: target.host }
      }
      case 'push': {
        const target = readSubscription(subscription)
        checkUrl(target.endpoint, 'subscription.endpoint')
        return { kind, target: JSON.stringify(target), label: (browser || 'A browser').slice(0, maxLabelChars) }
      }
      case 'telegram':
        throw wrongField('kind', 'telegram is connected by `atrium telegram pair`')
      default:
        throw wrongField('kind', 'must be push or ntfy')
    }
  }

  return {
    async view(user) {
      const [found, gone, quiet, { publicKey }] = await Promise.all([
        notifications.ways(user),
        notifications.goneWays(user),
        notifications.quiet(user),
        pushKeys(),
      ])
      return { ways: found, gone, quiet, pushKey: publicKey }
    },
    async addWay(user, input) {
      const target = targetOf(input)
      const before = (await notifications.ways(user)).find((way) => isSame(way, target, input.replaces))
      const { events = newsEvents, content = false } = before ?? {}
      const way = {
        ...target,
        ...(before && input.browser === undefined && { label: before.label }),
        events: readEvents(input.events) ?? events,
        content: input.content ?? content,
        ...(before && { replaces: before.id }),
      }
      const added = await notifications.addWay(user, way, maxWays)
      changed(user)
      return added
    },
    async changeWay(user, id, { events, content }) {
      const read = readEvents(events)
      const change: WayChange = { ...(read && { events: read }), ...(content !== undefined && { content }) }
      const way = await notifications.changeWay(user, id, change)
      if (!way) throw missing()
      changed(user)
      return way
    },
    async removeWay(user, id) {
      if (!(await notifications.removeWay(user, id))) throw missing()
      changed(user)
    },
    async test(user, id) {
      const way = (await notifications.ways(user)).find((each) => each.id === id)
      if (!way) throw missing()
      const ending = new AbortController()
      const sending = sendBy(ways, way, { type: 'test' }, ending.signal)
      const outcome = await within<Outcome, Outcome>(testMs, sending, () => {
        ending.abort()
        return { type: 'unknown', why: 'there was no answer in time' }
      })
      if (outcome.type === 'gone') {
        await notifications.removeGone(id, outcome.why)
        changed(user)
      }
      return outcome
    },
    async setQuiet(user, quiet) {
      const zone = quiet?.zone ?? (await store.missions.zone(user)) ?? machineZone()
      await notifications.setQuiet(user, quiet ? readQuiet({ ...quiet, zone }) : undefined)
      changed(user)
    },
    outbox: (user, query) => notifications.outbox(user, query),
  }
}

/** True for the way that a new one takes the place of: it has the same target, or is of the endpoint before. */
function isSame(way: NotificationWay, { kind, target }: Pick<NewWay, 'kind' | 'target'>, replaces?: string): boolean {
  if (way.kind !== kind || way.target === '') return false
  return way.target === target || (kind === 'push' && replaces !== undefined && endpointOf(way) === replaces)
}

function endpointOf({ target }: NotificationWay): unknown {
  return (JSON.parse(target) as { endpoint?: unknown }).endpoint
}

function readEvents(given: readonly string[] | undefined): NewsEvent[] | undefined {
  if (!given) return undefined
  const unknown = given.find((name) => !newsEvents.some((event) => event === name))
  if (unknown === undefined) return newsEvents.filter((event) => given.includes(event))
  throw wrongField('events', `has ${JSON.stringify(unknown.slice(0, 40))}: it may have ${newsEvents.join(', ')}`)
}

function readSubscription(given: unknown): { endpoint: string; keys: Record<'p256dh' | 'auth', string> } {
  const subscription = isRecord(given) ? given : {}
  const { endpoint, keys } = subscription
  if (typeof endpoint !== 'string') throw wrongField('subscription.endpoint', 'is missing')
  const [p256dh, auth] = subscriptionKeys.map(([name, bytes]) => {
    const key = isRecord(keys) ? keys[name] : undefined
    const field = `subscription.keys.${name}`
    if (typeof key !== 'string') throw wrongField(field, 'is missing')
    if (!/^[\w-]{1,200}=*$/.test(key) || Buffer.from(key, 'base64url').length !== bytes) {
      throw wrongField(field, `must be ${bytes} bytes in base64url`)
    }
    if (name === 'p256dh' && !isPublicKey(key)) throw wrongField(field, 'is no point on the curve P-256')
    return key
  })
  return { endpoint, keys: { p256dh: p256dh ?? '', auth: auth ?? '' } }
}

/** Checked here: a key that nothing can be encrypted for would fail at every message. */
function isPublicKey(key: string): boolean {
  try {
    ECDH.convertKey(key, 'prime256v1', 'base64url')
    return true
  } catch {
    return false
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function missing(): AppError {
  return new AppError('not_found', 'the way does not exist')
}
