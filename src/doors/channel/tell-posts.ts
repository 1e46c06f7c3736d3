// Tells the posts of a channel in their chats, while this process has the hold on the channel.
import { setTimeout as pause } from 'node:timers/promises'
import type { Post } from '#core/channel.ts'
import type { UserId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import type { Log } from '#lib/log.ts'
import type { Gates } from '#turns/gates.ts'
import type { Threads } from '#turns/threads.ts'
import type { Turns } from '#turns/turns.ts'
import type { Channel, Content, Outcome } from './channel.ts'
import { createDelivery } from './deliver.ts'
import { addGateQuestion, gatesOf, tellGate } from './gate-posts.ts'
import type { Hold } from './hold.ts'
import { refusedNote } from './notes.ts'
import { splitPlain } from './split.ts'
import { tellTurn } from './tell-turn.ts'

/** Pauses after a failure, such as a database that is away: the first, and the longest. */
export const minRetryMs = 500
export const maxRetryMs = 30_000

export type TellPostsParts = {
  readonly channel: Channel
  /** The hold of this process on the channel. */
  readonly hold: Hold
  readonly store: Pick<Store, 'channels'>
  readonly turns: Turns
  readonly threads: Threads
  readonly gates: Gates
  /** The address of a thread's page; undefined if it is not known. */
  readonly linkOf: (threadId: string) => string | undefined
  /** Masks secrets of a user: a message leaves the service. */
  readonly mask: (text: string, user: UserId) => string
  readonly log: Log
}

export interface TellPosts {
  /** Begins to tell posts until `signal` aborts. */
  begin(signal: AbortSignal): Promise<void>
  /** Looks for posts that were added; resolves once they are being told. */
  sync(): Promise<void>
  /** As `sync`, without waiting. */
  wake(): void
  /** Resolves once no post is being told any more. Its signal must have aborted. */
  end(): Promise<void>
}

export function createTellPosts(parts: TellPostsParts): TellPosts {
  const { channel, hold, turns, threads, gates, log } = parts
  const { channels } = parts.store
  /** Posts that are being told, by id. */
  const telling = new Map<string, { readonly told: Promise<void>; readonly stop: AbortController }>()
  let syncing: Promise<void> | undefined
  let changed = false
  /** Set between `begin` and `end`. */
  let signal: AbortSignal | undefined

  const deliverParts = {
    channel,
    store: channels,
    wait: (ms: number, until: AbortSignal) => pause(ms, undefined, { signal: until }),
    check(): void {
      if (!hold.held) throw new Error('another process may have taken over the channel')
    },
  }
  const asking = { store: channels, linkOf: parts.linkOf, mask: parts.mask }

  async function askGates(post: Post, turn: Turn): Promise<void> {
    for (const open of await gatesOf({ gates }, turn)) {
      if (await addGateQuestion(asking, post, open)) wake()
    }
  }

  const notes = ({ text }: Post): Content[] =>
    splitPlain(text, channel.maxChars).map((each) => ({ type: 'plain', text: each }))

  async function tell(post: Post, until: AbortSignal): Promise<Outcome> {
    switch (post.kind) {
      case 'note':
        return createDelivery(post, deliverParts).show(notes(post), until)
      case 'turn':
        return tellTurn(post, { ...deliverParts, turns, threads, askGates: (turn) => askGates(post, turn) }, until)
      case 'gate':
        return tellGate(post, { ...deliverParts, channels, gates, turns, linkOf: parts.linkOf }, until)
      default:
        return post.kind satisfies never
    }
  }

  /**
   * Tells a post to its end; after a failure again, from what is stored of it. `until` also ends when the post is forgotten,
   * as one that is finished is; `held` only with the hold or the door.
   */
  async function tellThrough({ id }: Post, until: AbortSignal, held: AbortSignal): Promise<void> {
    for (let waitMs = minRetryMs; !until.aborted; waitMs = Math.min(waitMs * 2, maxRetryMs)) {
      try {
        const post = await channels.post(id)
        const outcome = post && (await tell(post, until))
        if (outcome && outcome.type !== 'done') {
          log.warn({ channel: channel.name, post: id, ...outcome }, 'a chat did not take a message')
        }
        if (outcome) await channels.finish(id)
        if (outcome?.type === 'refused' && post?.threadId !== undefined)
          await tellRefusal(post.chat, post.threadId, held)
        return
      } catch (error) {
        if (until.aborted || !hold.held) return
        log.error({ channel: channel.name, post: id, err: error }, 'could not tell a post; trying again')
        await pause(waitMs, undefined, { signal: until }).catch(() => undefined)
      }
    }
  }

  /** Says once that something is missing in the chat. That the chat takes it is not certain either. */
  async function tellRefusal(chat: string, threadId: string, until: AbortSignal): Promise<void> {
    const text = refusedNote(parts.linkOf(threadId))
    await channel.send(chat, { type: 'plain', text }, { signal: until })
  }

  /** Begins to tell posts that are new, and stops telling those that were forgotten. */
  async function look(until: AbortSignal): Promise<void> {
    const posts = await channels.posts(channel.name)
    const known = new Set(posts.map(({ id }) => id))
    for (const [id, { stop }] of telling) if (!known.has(id)) stop.abort()
    for (const post of posts) {
      if (telling.has(post.id) || until.aborted) continue
      const stop = new AbortController()
      const told = tellThrough(post, AbortSignal.any([until, stop.signal]), until).finally(() =>
        telling.delete(post.id),
      )
      telling.set(post.id, { told, stop })
    }
  }

  /** One look at a time: an earlier list would undo what a later one began. */
  function sync(): Promise<void> {
    changed = true
    syncing ??= Promise.resolve().then(async () => {
      try {
        while (changed && signal) {
          changed = false
          await look(signal)
        }
      } finally {
        syncing = undefined
      }
    })
    return syncing
  }

  function wake(): void {
    sync().catch((error: unknown) => log.error({ channel: channel.name, err: error }, 'could not read posts'))
  }

  return {
    begin(until) {
      signal = until
      return sync()
    },
    sync,
    wake,
    async end() {
      await Promise.all([...telling.values()].map(({ told }) => told))
      signal = undefined
    },
  }
}
