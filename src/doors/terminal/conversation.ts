// The open thread: follows its events and sends messages to it.
import { AppError } from '#core/errors.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import type { Attached } from './attachment-list.ts'
import { type Blocks, createBlocks } from './blocks.ts'
import { keepFollowing } from './reconnect.ts'

/** Only the last entries of a longer thread are shown. */
export const maxEntries = 20_000

export interface Conversation {
  readonly threadId: string | undefined
  readonly blocks: Blocks
  /** Opens another thread; undefined opens a new one, which is created by its first message. */
  readonly open: (threadId: string | undefined) => void
  /** Sends a message after all earlier ones. */
  send(text: string, files: readonly Attached[]): Promise<void>
  /** Reads the thread again, in case a turn ended while the watch was interrupted. */
  lookAgain(): Promise<void>
  close(): void
}

export type ConversationParts = {
  readonly client: OperatorClient
  readonly now: () => number
  /** Called when another thread was opened. */
  readonly opened: () => void
  /** Called on events of the thread. `lists` is true when lists may have changed too. */
  readonly changed: (what: { lists: boolean }) => void
  readonly attempt: (work: Promise<unknown>) => void
}

/** An open conversation. A new one gets its thread id with the answer to its first message. */
type Open = {
  threadId: string | undefined
  readonly blocks: Blocks
  readonly watching: AbortController
  /** Resolves when all earlier messages are sent. */
  sending: Promise<void>
}

export function createConversation({ client, now, opened, changed, attempt }: ConversationParts): Conversation {
  let current = begin()

  function begin(): Open {
    return {
      threadId: undefined,
      blocks: createBlocks(now),
      watching: new AbortController(),
      sending: Promise.resolve(),
    }
  }

  /** Shows a thread in the current conversation. */
  function show(threadId: string): void {
    current.threadId = threadId
    opened()
    attempt(follow(threadId, current.blocks, current.watching.signal))
  }

  async function follow(id: string, own: Blocks, signal: AbortSignal): Promise<void> {
    let from: number | undefined
    await keepFollowing({
      signal,
      async *open(until) {
        const thread = await client.thread(id)
        if (!thread) throw new AppError('not_found', `thread ${id} does not exist any more`)
        from ??= Math.max(0, thread.lastSeq - maxEntries)
        own.know(thread)
        changed({ lists: false })
        yield* client.watch(id, Math.max(from, own.seq), until)
      },
      take(batch) {
        own.apply(batch)
        changed({ lists: batch.some(({ type }) => type !== 'delta' && type !== 'progress') })
      },
      lost: () => own.dropPartial(),
    })
  }

  async function sendTo(target: Open, text: string, files: readonly Attached[]): Promise<void> {
    const parts = files.map(({ part }) => part)
    const message = { door: 'terminal', message: text, threadId: target.threadId, files: parts } as const
    const { threadId, turnId, queued } = await client.send(message)
    const isNew = target.threadId === undefined
    target.threadId = threadId
    if (queued) target.blocks.queue(turnId, text, files)
    if (isNew && target === current) show(threadId)
  }

  return {
    get threadId() {
      return current.threadId
    },
    get blocks() {
      return current.blocks
    },
    open(threadId) {
      current.watching.abort()
      current = begin()
      if (threadId === undefined) opened()
      else show(threadId)
    },
    send(text, files) {
      // The message goes to this conversation, even if another one is open when it is sent.
      const target = current
      const sent = target.sending.then(() => sendTo(target, text, files))
      target.sending = sent.catch(() => {})
      return sent
    },
    async lookAgain() {
      const { blocks, threadId } = current
      const thread = threadId !== undefined && blocks.turn() ? await client.thread(threadId) : undefined
      if (thread) blocks.know(thread)
    },
    close: () => current.watching.abort(),
  }
}
