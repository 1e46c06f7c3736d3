// The open thread: follows its events and sends messages to it.
import { AppError } from '#core/errors.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import type { Attached } from './attachment-list.ts'
import { type Blocks, createBlocks } from './blocks.ts'
import { keepFollowing } from './reconnect.ts'

/** Only the last entries of a longer thread are shown. */
export const maxEntries = 20_000

/** The files of a message, and a command to run before it. */
export type MessageMore = {
  /** Reads the files, when it is the message's turn to be sent. */
  readonly files?: () => Promise<readonly Attached[]>
  /** Runs in the workspace before the model is asked. */
  readonly command?: string | undefined
}

export interface Conversation {
  readonly threadId: string | undefined
  readonly blocks: Blocks
  /** Opens another thread; undefined opens a new one, which is created by its first message. */
  readonly open: (threadId: string | undefined) => void
  /** The model that was chosen for the open thread; undefined for the usual one. */
  readonly model: string | undefined
  /** Chooses the model of the open thread, null for the usual one. A new thread has it with its first message. */
  chooseModel(model: string | null): Promise<void>
  /** Sends a message after all earlier ones. */
  send(text: string, more?: MessageMore): Promise<void>
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
  model: string | undefined
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
      model: undefined,
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
        if (current.threadId === id) current.model = thread.model
        changed({ lists: false })
        yield* client.watch(id, Math.max(from, own.seq), until)
      },
      take(batch) {
        own.apply(batch)
        changed({ lists: batch.some(({ type }) => type !== 'delta' && type !== 'thought' && type !== 'progress') })
      },
    })
  }

  async function sendTo(target: Open, text: string, { files: gather, command }: MessageMore): Promise<void> {
    const files = (await gather?.()) ?? []
    const parts = files.map(({ part }) => part)
    const isNew = target.threadId === undefined
    const model = isNew ? target.model : undefined
    const message = {
      door: 'terminal',
      message: text,
      threadId: target.threadId,
      files: parts,
      model,
      command,
    } as const
    const { threadId, turnId, queued } = await client.send(message)
    target.threadId = threadId
    if (queued) target.blocks.queue(turnId, text, files)
    if (isNew && target === current) show(threadId)
  }

  return {
    get threadId() {
      return current.threadId
    },
    get model() {
      return current.model
    },
    async chooseModel(model) {
      const target = current
      if (target.threadId !== undefined) await client.setModel(target.threadId, model)
      target.model = model ?? undefined
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
    send(text, more = {}) {
      // The message goes to this conversation, even if another one is open when it is sent.
      const target = current
      const sent = target.sending.then(() => sendTo(target, text, more))
      target.sending = sent.catch(() => {})
      return sent
    },
    async lookAgain() {
      const { blocks, threadId } = current
      const thread = threadId !== undefined && blocks.turn() ? await client.thread(threadId) : undefined
      if (thread) {
        blocks.know(thread)
        if (current.threadId === threadId) current.model = thread.model
      }
    },
    close: () => current.watching.abort(),
  }
}
