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

export function createConversation({ client, now, opened, changed, attempt }: ConversationParts): Conversation {
  let threadId: string | undefined
  let blocks = createBlocks(now)
  let watching = new AbortController()
  let sending: Promise<void> = Promise.resolve()

  function open(id: string | undefined): void {
    watching.abort()
    watching = new AbortController()
    threadId = id
    blocks = createBlocks(now)
    opened()
    if (id !== undefined) attempt(follow(id, blocks, watching.signal))
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

  return {
    get threadId() {
      return threadId
    },
    get blocks() {
      return blocks
    },
    open,
    send(text, files) {
      const own = blocks
      const sent = sending.then(async () => {
        const {
          threadId: id,
          turnId,
          queued,
        } = await client.send({
          door: 'terminal',
          message: text,
          threadId: own === blocks ? threadId : undefined,
          files: files.map(({ part }) => part),
        })
        if (own === blocks && threadId === undefined) open(id)
        if (queued && id === threadId) blocks.queue(turnId, text, files)
      })
      sending = sent.catch(() => {})
      return sent
    },
    async lookAgain() {
      const [own, id] = [blocks, threadId]
      const thread = id !== undefined && own.turn() ? await client.thread(id) : undefined
      if (thread) own.know(thread)
    },
    close: () => watching.abort(),
  }
}
