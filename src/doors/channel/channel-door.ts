// The door of a chat channel: while this process has the hold on the channel, it takes updates and tells posts.
import { setTimeout as pause } from 'node:timers/promises'
import type { PairedChat, Post, Updates } from '#core/channel.ts'
import type { UserId } from '#core/ids.ts'
import type { ReadPdf } from '#core/pdf.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import type { Log } from '#lib/log.ts'
import type { Gates } from '#turns/gates.ts'
import { isAway } from '#turns/store-retry.ts'
import type { Threads } from '#turns/threads.ts'
import type { Turns } from '#turns/turns.ts'
import type { Channel, Content, Incoming, Outcome } from './channel.ts'
import { readCommand } from './chat-commands.ts'
import { createDelivery } from './deliver.ts'
import { addGateQuestion, gatesOf, tellGate } from './gate-posts.ts'
import { type Hold, renewMs } from './hold.ts'
import { refusedNote } from './notes.ts'
import { takePressed } from './press.ts'
import { splitPlain } from './split.ts'
import { type FilesTime, maxFilesMs, takeMessage, takePairing } from './take-message.ts'
import { tellTurn } from './tell-turn.ts'

/** Pauses after a failure, such as a database that is away: the first, and the longest. */
const minRetryMs = 500
const maxRetryMs = 30_000
/** Attempts at an update that fails for a reason of its own; then it is left out, so that others come through. */
const maxAttempts = 5
/** How long the ids of updates are kept. No channel repeats an update after a day. */
const keepUpdatesMs = 3 * 24 * 60 * 60 * 1000
const pruneMs = 60 * 60 * 1000

export type ChannelDoorParts = {
  readonly channel: Channel
  /** The hold of this process on the channel. */
  readonly hold: Hold
  readonly store: Pick<Store, 'channels'>
  readonly turns: Turns
  readonly threads: Threads
  readonly gates: Gates
  readonly readPdf: ReadPdf
  /** The address of a thread's page; undefined if it is not known. */
  readonly linkOf: (threadId: string) => string | undefined
  /** Masks secrets of a user: a message leaves the service. */
  readonly mask: (text: string, user: UserId) => string
  /** A chat was paired, or its person greeted the bot again. */
  readonly onStart: (chat: PairedChat) => Promise<void>
  /** The name of a user in answers. */
  readonly nameOf: (user: UserId) => Promise<string>
  readonly log: Log
}

export interface ChannelDoor {
  /** Looks for posts that were added, by this process or another. */
  wake(): void
  /** Takes no more updates; posts are told until `close`. */
  stop(): Promise<void>
  close(): Promise<void>
}

export function openChannelDoor(parts: ChannelDoorParts): ChannelDoor {
  const { channel, hold, store, turns, gates, log } = parts
  const { channels } = store
  const closing = new AbortController()
  const stopping = new AbortController()
  /** Posts that are being told, by id. */
  const telling = new Map<string, { readonly told: Promise<void>; readonly stop: AbortController }>()
  let syncing: Promise<void> | undefined
  let changed = false
  let signal: AbortSignal = closing.signal
  let holding = false

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
      case 'turn': {
        const { threads } = parts
        return tellTurn(post, { ...deliverParts, turns, threads, askGates: (turn) => askGates(post, turn) }, until)
      }
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
  async function look(): Promise<void> {
    const until = signal
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
        while (changed && holding) {
          changed = false
          await look()
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

  async function takeOne(incoming: Incoming, until: AbortSignal, filesTime: FilesTime): Promise<void> {
    const updates: Updates = { channel: channel.name, account: channel.account, ids: incoming.ids }
    const chat = incoming.chat === undefined ? undefined : await channels.chat(channel.name, incoming.chat)
    if (incoming.type === 'ignored') return ignored(incoming.chat)
    if (!chat) {
      const paired =
        incoming.type === 'message' && (await takePairing({ ...parts, store: channels }, updates, incoming))
      if (!paired) return ignored(incoming.chat)
      log.info({ channel: channel.name, user: paired.user }, 'paired a chat')
    } else if (incoming.type === 'press') await takePress(updates, chat, incoming, until)
    else
      await takeMessage({ ...parts, store: channels }, { updates, chat, message: incoming, signal: until, filesTime })
    // Also when it was taken before: a crash may have come between.
    if (incoming.type === 'message' && readCommand(incoming.text)?.type === 'start') {
      const paired = await channels.chat(channel.name, incoming.chat)
      if (paired) await parts.onStart(paired)
    }
    await sync()
  }

  async function takePress(
    updates: Updates,
    chat: PairedChat,
    { press, data }: Extract<Incoming, { type: 'press' }>,
    until: AbortSignal,
  ): Promise<void> {
    const words = (await channels.taken(updates))
      ? ''
      : await takePressed({ store: channels, gates, nameOf: parts.nameOf }, updates, chat, data)
    await channel.answerPress(press, words, until)
  }

  /** Strangers and groups get no answer at all. */
  function ignored(chat: string | undefined): void {
    log.info({ channel: channel.name, ...(chat !== undefined && { chat }) }, 'ignored an update')
  }

  /** Takes an update, again if need be. One that can never be taken is left out in the end. */
  async function take(incoming: Incoming, until: AbortSignal, filesTime: FilesTime): Promise<void> {
    let waitMs = minRetryMs
    for (let attempt = 1; ; ) {
      try {
        return await takeOne(incoming, until, filesTime)
      } catch (error) {
        until.throwIfAborted()
        log.error({ channel: channel.name, updates: incoming.ids, err: error }, 'could not take an update')
        if (!isAway(error) && attempt++ >= maxAttempts) return
        await pause(waitMs, undefined, { signal: until })
        waitMs = Math.min(waitMs * 2, maxRetryMs)
      }
    }
  }

  /** Chats do not wait for each other; within one chat the order is kept. */
  async function takeAll(batch: readonly Incoming[], until: AbortSignal): Promise<void> {
    const byChat = Map.groupBy(batch, ({ chat = '' }) => chat)
    await Promise.all(
      [...byChat.values()].map(async (updates) => {
        const filesTime = { leftMs: maxFilesMs }
        for (const each of updates) await take(each, until, filesTime)
      }),
    )
  }

  /** Takes updates until the hold is lost or the door stops. */
  async function consume(): Promise<void> {
    const lost = new AbortController()
    signal = AbortSignal.any([closing.signal, lost.signal])
    const renewing = keepHold(lost)
    try {
      holding = true
      await sync()
      await takeUpdates(AbortSignal.any([signal, stopping.signal]))
      // Stopped: posts are told on until the door closes.
      if (stopping.signal.aborted && !signal.aborted) await aborted(signal)
    } finally {
      lost.abort()
      await renewing
      await Promise.all([...telling.values()].map(({ told }) => told))
      holding = false
    }
  }

  async function takeUpdates(until: AbortSignal): Promise<void> {
    let prunedAt = -Infinity
    try {
      for await (const batch of channel.updates(until)) {
        await takeAll(batch, until)
        if (Date.now() - prunedAt < pruneMs) continue
        prunedAt = Date.now()
        await channels.prune(prunedAt - keepUpdatesMs, prunedAt)
      }
    } catch (error) {
      if (!until.aborted) throw error
    }
  }

  async function keepHold(lost: AbortController): Promise<void> {
    while (!lost.signal.aborted && !closing.signal.aborted) {
      await pause(renewMs, undefined, { signal: AbortSignal.any([lost.signal, closing.signal]) }).catch(() => undefined)
      if (lost.signal.aborted || closing.signal.aborted) return
      const lapsed = !hold.held
      if (await hold.renew().catch(() => hold.held)) {
        // Posts were left when the hold was in doubt.
        if (lapsed) wake()
        continue
      }
      log.warn({ channel: channel.name }, 'another process has taken over the channel')
      lost.abort()
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        if (await hold.renew()) await consume()
      } catch (error) {
        if (!stopping.signal.aborted) log.error({ channel: channel.name, err: error }, 'a chat channel failed')
      }
      await pause(renewMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  const running = run()
  const stop = (): Promise<void> => {
    stopping.abort()
    return Promise.resolve()
  }
  return {
    wake,
    stop,
    async close() {
      await stop()
      closing.abort()
      await running
      await hold.leave().catch(() => undefined)
    },
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
