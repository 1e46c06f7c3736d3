// The bus of several processes over one PostgreSQL. What happens here is told here at once, and to another process only
// when somebody there wants to know. The protocol, over NOTIFY (messages in bus-message.ts, the link in link-postgres.ts):
//
// - `watch` says that a thread is watched here; it is repeated every few seconds, and forgotten when it is not. A process
//   in which something has lately happened in that thread answers with `news` and the text that is being written.
// - `news` says that something was stored: whoever watches reads it. It carries ids alone.
// - `text` carries what is being written, gathered for a moment; a gap in it makes the watcher send `watch` again.
// - `follow` and `change` are the like of `watch` and `news` for the lists of a user.
// - `missed` says that the link was broken: whoever hears it looks at all it watches, and so does whoever says it.
// - `signal` goes to everybody: stop a turn, look at the queue, read the settings.
import type { Bus } from '#core/bus.ts'
import { newId } from '#core/ids.ts'
import type { Log } from '#lib/log.ts'
import { createHearing } from './bus-inbound.ts'
import { concernedBy, createLocalBus } from './bus-local.ts'
import type { Message } from './bus-message.ts'
import { createTelling } from './bus-outbound.ts'
import { openLink } from './notify-postgres.ts'
import type { Sql } from './sql.ts'

const announceMs = 4_000

export async function createPostgresBus({ url, sql, log }: { url: string; sql: Sql; log: Log }): Promise<Bus> {
  const self = newId()
  const local = createLocalBus()
  const hearing = createHearing({ local, sql, send, log })
  const telling = createTelling({ local, send, forgetMs: 3 * announceMs })
  const link = await openLink({ url, heard, missed: comeBack, log })
  const announcing = setInterval(announce, announceMs)
  announcing.unref()

  function send(message: Message): void {
    link.send({ ...message, from: self })
  }

  function heard(message: unknown): void {
    const said = message as Message & { from?: string }
    if (said.from === self) return
    switch (said.type) {
      case 'watch':
        telling.watchedElsewhere(said.threadId)
        break
      case 'news':
        hearing.look(said.threadId, said.turnId)
        break
      case 'text':
        hearing.text(said.threadId, said.delta)
        break
      case 'follow':
        telling.followedElsewhere(said.user)
        break
      case 'change':
        local.tellUser(said.user, said.change)
        break
      case 'missed':
        catchUp()
        break
      case 'signal':
        local.signal(said.signal)
        break
      default:
        said satisfies never
    }
  }

  /** Whatever may have been said unheard: news of threads and lists, turns that wait, settings. A stop is repeated by force. */
  function catchUp(): void {
    for (const threadId of hearing.watched()) hearing.look(threadId)
    for (const user of local.followed()) local.tellUser(user, {})
    local.signal({ type: 'queued' })
    local.signal({ type: 'settings' })
  }

  /** The link was down: others missed what was said here, and this process what was said there. */
  function comeBack(): void {
    send({ type: 'missed' })
    for (const threadId of hearing.watched()) send({ type: 'watch', threadId })
    for (const user of local.followed()) send({ type: 'follow', user })
    catchUp()
  }

  /**
   * Makes watchers and followers known to processes that begin to speak of their thread later, and looks for what was
   * missed. Where something has just been told here there is nobody to ask: a busy process says nothing for its own watchers.
   */
  function announce(): void {
    const now = Date.now()
    telling.sweep(now)
    for (const user of local.followed()) send({ type: 'follow', user })
    for (const threadId of hearing.watched()) {
      if (telling.toldAt(threadId) > now - announceMs) continue
      send({ type: 'watch', threadId })
      hearing.look(threadId)
    }
  }

  return {
    publish(threadId, events) {
      hearing.toldHere(threadId, events)
      local.publish(threadId, events)
      telling.tell(threadId, events)
    },
    subscribe(threadId, from = { seq: 0 }) {
      const leave = hearing.enter(threadId, from)
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
    changed(whose, change) {
      local.changed(whose, change)
      telling.tellChange(concernedBy(whose), change)
    },
    changes(user) {
      send({ type: 'follow', user })
      return local.changes(user)
    },
    signal(signal) {
      local.signal(signal)
      send({ type: 'signal', signal })
    },
    onSignal: (listener) => local.onSignal(listener),
    async close() {
      clearInterval(announcing)
      telling.close()
      await link.close()
      await local.close()
    },
  }
}
