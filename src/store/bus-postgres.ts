// The bus across several processes on one PostgreSQL. Events are published locally at once, and sent to another process only
// if it watches their thread. The protocol over NOTIFY (messages in bus-message.ts, the connection in notify-postgres.ts):
//
// - `watch`: the sender watches a thread. It is repeated every few seconds and expires without repetition. A process that
//   lately published to the thread answers with `news` and the text being written.
// - `news`: something was stored; watchers read it. It carries only ids.
// - `text`: text being written, collected for a moment. On a gap the watcher sends `watch` again.
// - `thought`: reasoning that is being written. A piece that is lost is not sent again: the stored item has it.
// - `progress`: how far a call is. One that is lost is not sent again: the next report follows.
// - `follow` and `change`: like `watch` and `news`, for the lists of a user.
// - `missed`: the sender's connection was broken. Sender and receivers all read everything they watch.
// - `signal`: for every process, such as: stop a turn, look at the queue, read the settings.
import type { Bus } from '#core/bus.ts'
import { newId } from '#core/ids.ts'
import type { Log } from '#lib/log.ts'
import { createInbound } from './bus-inbound.ts'
import { affectedUsers, createLocalBus } from './bus-local.ts'
import type { Message } from './bus-message.ts'
import { createOutbound } from './bus-outbound.ts'
import { type Link, type LinkHandlers, openLink } from './notify-postgres.ts'
import type { Sql } from './sql.ts'

const announceMs = 4_000

export type BusParts = {
  readonly sql: Sql
  readonly log: Log
  readonly open: (handlers: LinkHandlers) => Promise<Link>
}

export function createPostgresBus({ url, sql, log }: { url: string; sql: Sql; log: Log }): Promise<Bus> {
  return createLinkedBus({ sql, log, open: (handlers) => openLink({ url, log, ...handlers }) })
}

/** The bus over any link that carries messages to every process, this one included. */
export async function createLinkedBus({ sql, log, open }: BusParts): Promise<Bus> {
  const self = newId()
  const local = createLocalBus()
  const inbound = createInbound({ local, sql, send, log })
  const outbound = createOutbound({ local, send, forgetMs: 3 * announceMs })
  // Messages come before it is open here; nothing in this process answers one then.
  let link: Link | undefined
  link = await open({ onMessage, onReconnect })
  const announceTimer = setInterval(announce, announceMs)
  announceTimer.unref()

  function send(message: Message): void {
    link?.send({ ...message, from: self })
  }

  function onMessage(payload: unknown): void {
    const message = payload as Message & { from?: string }
    if (message.from === self) return
    switch (message.type) {
      case 'watch':
        outbound.watchedElsewhere(message.threadId)
        break
      case 'news':
        inbound.read(message.threadId, message.turnId)
        break
      case 'text':
        inbound.text(message.threadId, message.delta)
        break
      case 'thought':
        local.publish(message.threadId, [message.thought])
        break
      case 'progress':
        local.publish(message.threadId, [message.progress])
        break
      case 'follow':
        outbound.followedElsewhere(message.user)
        break
      case 'change':
        local.pushChange(message.user, message.change)
        break
      case 'missed':
        catchUp()
        break
      case 'signal':
        local.signal(message.signal)
        break
      default:
        message satisfies never
    }
  }

  /**
   * Reads whatever lost messages may have been about: watched threads, followed lists, the queue, settings, notifications.
   * A lost `stop` needs nothing: its sender ends the turn by force after a grace period.
   */
  function catchUp(): void {
    for (const threadId of inbound.watched()) inbound.read(threadId)
    for (const user of local.followed()) local.pushChange(user, {})
    local.signal({ type: 'queued' })
    local.signal({ type: 'settings' })
    local.signal({ type: 'notifications', what: 'ways' })
  }

  /** The link was down: messages in both directions may be lost. */
  function onReconnect(): void {
    send({ type: 'missed' })
    for (const threadId of inbound.watched()) send({ type: 'watch', threadId })
    for (const user of local.followed()) send({ type: 'follow', user })
    catchUp()
  }

  /**
   * Announces watchers and followers to processes that publish to their threads later, and reads what may have been missed.
   * A thread to which this process has just published runs here: it needs neither.
   */
  function announce(): void {
    const now = performance.now()
    outbound.sweep(now)
    for (const user of local.followed()) send({ type: 'follow', user })
    for (const threadId of inbound.watched()) {
      if (outbound.publishedAt(threadId) > now - announceMs) continue
      send({ type: 'watch', threadId })
      inbound.read(threadId)
    }
  }

  return {
    publish(threadId, events) {
      inbound.publishedHere(threadId, events)
      local.publish(threadId, events)
      outbound.publish(threadId, events)
    },
    forget: (threadId, turnId) => local.forget(threadId, turnId),
    subscribe(threadId, from = { seq: 0 }) {
      const leave = inbound.enter(threadId, from)
      const subscription = local.subscribe(threadId, from)
      let open = true
      if (!from.here) send({ type: 'watch', threadId })
      return {
        partial: subscription.partial,
        close() {
          if (open) leave()
          open = false
          subscription.close()
        },
        [Symbol.asyncIterator]: () => subscription[Symbol.asyncIterator](),
      }
    },
    publishChange(owner, change) {
      local.publishChange(owner, change)
      outbound.publishChange(affectedUsers(owner), change)
    },
    subscribeChanges(user) {
      send({ type: 'follow', user })
      return local.subscribeChanges(user)
    },
    signal(signal) {
      local.signal(signal)
      send({ type: 'signal', signal })
    },
    onSignal: (listener) => local.onSignal(listener),
    async close() {
      clearInterval(announceTimer)
      outbound.close()
      await link.close()
      await local.close()
    },
  }
}
