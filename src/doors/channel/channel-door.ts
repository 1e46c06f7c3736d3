// The door of a chat channel: while this process has the hold on the channel, it takes updates and tells posts.
import { setTimeout as pause } from 'node:timers/promises'
import type { PairedChat, Updates } from '#core/channel.ts'
import type { UserId } from '#core/ids.ts'
import type { ReadPdf } from '#core/pdf.ts'
import { dayMs, hourMs } from '#core/time.ts'
import { isAway } from '#turns/store-retry.ts'
import type { Incoming } from './channel.ts'
import { readCommand } from './chat-commands.ts'
import { renewMs } from './hold.ts'
import { takePressed } from './press.ts'
import { type FilesTime, maxFilesMs, takeMessage, takePairing } from './take-message.ts'
import { createTellPosts, maxRetryMs, minRetryMs, type TellPostsParts } from './tell-posts.ts'

/** Attempts at an update that fails for a reason of its own; then it is left out, so that others come through. */
const maxAttempts = 5
/** How long the ids of updates are kept. No channel repeats an update after a day. */
const keepUpdatesMs = 3 * dayMs
const pruneMs = hourMs

export type ChannelDoorParts = TellPostsParts & {
  readonly readPdf: ReadPdf
  /** A chat was paired, or its person greeted the bot again. */
  readonly onStart: (chat: PairedChat) => Promise<void>
  /** The name of a user in answers. */
  readonly nameOf: (user: UserId) => Promise<string>
}

export interface ChannelDoor {
  /** Looks for posts that were added, by this process or another. */
  wake(): void
  /** Takes no more updates; posts are told until `close`. */
  stop(): void
  close(): Promise<void>
}

export function openChannelDoor(parts: ChannelDoorParts): ChannelDoor {
  const { channel, hold, store, gates, log } = parts
  const { channels } = store
  const closing = new AbortController()
  const stopping = new AbortController()
  const posts = createTellPosts(parts)

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
    await posts.sync()
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
    const signal = AbortSignal.any([closing.signal, lost.signal])
    const renewing = keepHold(lost, signal)
    try {
      await posts.begin(signal)
      await takeUpdates(AbortSignal.any([signal, stopping.signal]))
      // Stopped: posts are told on until the door closes.
      if (stopping.signal.aborted && !signal.aborted) await aborted(signal)
    } finally {
      lost.abort()
      await renewing
      await posts.end()
    }
  }

  async function takeUpdates(until: AbortSignal): Promise<void> {
    let prunedAt = -Infinity
    try {
      for await (const batch of channel.updates(until)) {
        await takeAll(batch, until)
        if (performance.now() - prunedAt < pruneMs) continue
        prunedAt = performance.now()
        await channels.prune(Date.now() - keepUpdatesMs, Date.now())
      }
    } catch (error) {
      if (!until.aborted) throw error
    }
  }

  /** Renews the hold until `signal` aborts. Aborts `lost` when another process has it. */
  async function keepHold(lost: AbortController, signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(renewMs, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      const lapsed = !hold.held
      if (await hold.renew().catch(() => hold.held)) {
        // Posts were left when the hold was in doubt.
        if (lapsed) posts.wake()
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
  return {
    wake: () => posts.wake(),
    stop: () => stopping.abort(),
    async close() {
      stopping.abort()
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
