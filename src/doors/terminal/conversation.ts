// The thread that is open: followed for as long as it is, and sent to.
import { AppError } from '#core/errors.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import type { Attached } from './attachment-list.ts'
import { type Blocks, createBlocks } from './blocks.ts'
import { keepFollowing } from './reconnect.ts'

/** Of a longer thread the end is shown. */
export const maxEntries = 20_000

export interface Conversation {
  readonly threadId: string | undefined
  readonly blocks: Blocks
  /** Another thread; none is one that begins with the next message. */
  readonly open: (threadId: string | undefined) => void
  /** Sends after what was sent before it. */
  send(text: string, files: readonly Attached[]): Promise<void>
  /** A turn may have ended while nobody watched. */
  lookAgain(): Promise<void>
  close(): void
}

export type ConversationParts = {
  readonly client: OperatorClient
  readonly now: () => number
  /** Another thread is open. */
  readonly opened: () => void
  /** Something happened in it; `lists` when it may be told in a list too. */
  readonly changed: (what: { lists: boolean }) => void
  readonly attempt: (work: Promise<unknown>) => void
}

/** A conversation; one that is new gets its thread with the answer to its first message. */
type Open = {
  threadId: string | undefined
  readonly blocks: Blocks
  readonly watching: AbortController
  /** The messages before the next one. */
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

  /** Shows a thread in the conversation that is open. */
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
        changed({ lists: batch.some(({ type }) => type !== 'delta') })
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
      // The conversation that is open now, also when another one is by the time the message goes out.
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
