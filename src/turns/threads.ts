// Threads for doors: reads go to the store; changes are also published to the user's lists.
import type { Bus } from '#core/bus.ts'
import type { Door } from '#core/doors.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { type Entry, isUserMessage, type Item } from '#core/item.ts'
import type { Store } from '#core/store.ts'
import type { ThreadMetadata, ThreadStore } from '#core/thread-store.ts'
import type { Thread, ThreadPlace } from '#core/turn.ts'
import { type Variants, variantsOf } from '#core/variants.ts'
import type { UserMask } from '#safety/secret-values.ts'
import { publishErased } from './announce.ts'
import { draftsOf, titleOf } from './message.ts'
import { chosenModel, type ModelChecks } from './thread-model.ts'
import { eraseRemoved } from './erase-removed.ts'
import { createThreadFind, type ThreadFind } from './thread-find.ts'
import { createThreadSearch, type ThreadSearch } from './thread-search.ts'

type Reading = Pick<
  ThreadStore,
  | 'get'
  | 'list'
  | 'entries'
  | 'headers'
  | 'queued'
  | 'findItems'
  | 'findByOpenCall'
  | 'findByChain'
  | 'chainEnd'
  | 'addChainPoints'
>

/** A thread with its first items. Without a title it gets the first line of its first message. */
export type SeededThread = {
  readonly door: Door
  readonly items: readonly Item[]
  readonly metadata: ThreadMetadata
  readonly title?: string
}

/** The conversation that a thread is part of: its variants by message, and the thread that it was forked from on purpose. */
export type Conversation = {
  readonly variants: readonly Variants[]
  readonly origin?: Pick<Thread, 'id' | 'title'> & { readonly beforeSeq: number }
}

/** How much is read of the messages that wait behind a running turn. */
export const queuedBounds = { limit: 50, maxBytes: 1024 * 1024 }

export interface Threads extends Reading {
  /** Threads of the user by their titles and messages, best first. */
  readonly search: ThreadSearch
  /** Where words stand in one thread of the user. */
  readonly find: ThreadFind
  /** Makes a thread without a turn. Throws storage_full. */
  create(user: UserId, thread: SeededThread): Promise<Thread>
  /**
   * Adds items to a thread at rest, for no turn to answer. Throws not_found, storage_full, and what a message to a thread that
   * is not at rest is refused with.
   */
  addItems(user: UserId, threadId: string, items: readonly Item[]): Promise<readonly Entry[]>
  /** Removes such an item, and the title that it gave, while no turn has read it. Throws not_found, invalid_input. */
  removeItem(user: UserId, threadId: string, itemId: string): Promise<void>
  /** Replaces the metadata of a thread. Throws not_found. */
  setMetadata(user: UserId, threadId: string, metadata: ThreadMetadata): Promise<void>
  /** Sets the model of a thread from its next turn on, null for the usual one. Throws not_found, invalid_input. */
  setModel(user: UserId, threadId: string, model: string | null): Promise<void>
  /** The variants of a thread and its origin; a thread that is alone is not looked up. */
  conversation(user: UserId, thread: Thread): Promise<Conversation>
  /** Shows a variant in lists, in place of the others. Throws not_found. */
  show(user: UserId, threadId: string): Promise<void>
  /** Renames a thread and its variants. Throws not_found. */
  rename(user: UserId, threadId: string, title: string): Promise<void>
  /** Gives a thread and its variants another title, if they still have this one. */
  retitle(user: UserId, threadId: string, title: { readonly from: string; readonly to: string }): Promise<void>
  /** Pins, archives or brings back a thread. Throws not_found. */
  shelve(user: UserId, threadId: string, where: ThreadPlace): Promise<void>
  /** Copies a thread up to a message, to continue differently from there. Throws not_found, invalid_input, too_large. */
  fork(user: UserId, threadId: string, at: { beforeSeq: number; door: Door }): Promise<Thread>
  /** Erases the thread and its variants with their turns; false when there is no such thread. */
  remove(user: UserId, threadId: string): Promise<boolean>
  /** Erases these threads, one after the other; those that do not exist are passed by. Returns how many it erased. */
  removeAll(user: UserId, threadIds: readonly string[]): Promise<number>
}

export type ThreadsParts = ModelChecks & {
  readonly store: Pick<Store, 'threads' | 'threadIndex'>
  readonly bus: Bus
  /** Masks secrets in items that no person wrote before they are stored. */
  readonly mask?: UserMask
  /** Called when a thread was made, renamed or deleted. */
  readonly onChange?: (threadId: string) => void
}

export function createThreads({
  store,
  bus,
  mask = (text) => text,
  onChange = () => {},
  ...checks
}: ThreadsParts): Threads {
  function publish(user: UserId, threadId: string): void {
    bus.publishChange({ userId: user }, { threadId })
    onChange(threadId)
  }

  async function remove(user: UserId, threadId: string): Promise<boolean> {
    const unfinished = await store.threads.remove(user, threadId)
    for (const turn of unfinished ?? []) publishErased(bus, turn)
    if (!unfinished) return false
    publish(user, threadId)
    await eraseRemoved(store.threads)
    return true
  }

  return {
    ...store.threads,
    search: createThreadSearch({ index: store.threadIndex, threads: store.threads }),
    find: createThreadFind(store.threads),
    async create(user, { door, items, metadata, title: given }) {
      const drafts = await draftsOf(items, (text) => mask(text, user))
      const title = given ?? titleIn(items)
      const thread = await store.threads.create(user, { door, title, metadata, drafts })
      publish(user, thread.id)
      return thread
    },
    async addItems(user, threadId, items) {
      const drafts = await draftsOf(items, (text) => mask(text, user))
      const entries = await store.threads.addItems(user, threadId, { title: titleIn(items), drafts })
      bus.publish(threadId, [{ type: 'entries', entries }])
      publish(user, threadId)
      return entries
    },
    async removeItem(user, threadId, itemId) {
      const [entry] = await store.threads.findItems(user, [{ threadId, itemId }])
      const title = entry ? titleIn([entry.item]) : ''
      const outcome = await store.threads.removeItem(user, { threadId, itemId, title })
      if (outcome === 'missing') throw new AppError('not_found', 'the conversation has no item with this id')
      if (outcome === 'removed') return publish(user, threadId)
      throw new AppError('invalid_input', 'a response has read or written this item: delete the conversation instead')
    },
    async setMetadata(user, threadId, metadata) {
      if (!(await store.threads.setMetadata(user, threadId, metadata))) throw noThread()
    },
    async setModel(user, threadId, model) {
      const chosen = model === null ? null : chosenModel(model, checks)
      if (!(await store.threads.setModel(user, threadId, chosen))) throw noThread()
      bus.publishChange({ userId: user }, { threadId })
    },
    conversation: (user, thread) => readConversation(store.threads, user, thread),
    async show(user, threadId) {
      if (!(await store.threads.show(user, threadId))) throw noThread()
      bus.publishChange({ userId: user }, { threadId })
    },
    async rename(user, threadId, title) {
      if (!(await store.threads.rename(user, threadId, title))) throw noThread()
      publish(user, threadId)
    },
    async retitle(user, threadId, { from, to }) {
      if (await store.threads.rename(user, threadId, to, from)) publish(user, threadId)
    },
    async shelve(user, threadId, where) {
      if (!(await store.threads.shelve(user, threadId, where))) throw noThread()
      bus.publishChange({ userId: user }, { threadId })
    },
    async fork(user, threadId, at) {
      const thread = await store.threads.fork(user, threadId, at)
      if (!thread) throw noThread()
      publish(user, thread.id)
      return thread
    },
    remove,
    async removeAll(user, threadIds) {
      let removed = 0
      for (const threadId of new Set(threadIds)) if (await remove(user, threadId)) removed++
      return removed
    },
  }
}

async function readConversation(
  threads: Pick<ThreadStore, 'get' | 'family'>,
  user: UserId,
  { id, family, forkedFrom }: Thread,
): Promise<Conversation> {
  const members = family === undefined ? [] : await threads.family(user, family)
  const variants = family === undefined ? [] : variantsOf(members, family, id)
  // A variant's fork point is in its own conversation: the first thread has that of the whole.
  const from = family === undefined ? forkedFrom : members.find((each) => each.id === family)?.forkedFrom
  const origin = from && (await threads.get(user, from.threadId))
  if (!from || !origin) return { variants }
  return { variants, origin: { id: origin.id, title: origin.title, beforeSeq: from.beforeSeq } }
}

function noThread(): AppError {
  return new AppError('not_found', 'the thread does not exist')
}

/** Empty if the user has written nothing yet: the first message makes the title then. */
function titleIn(items: readonly Item[]): string {
  const isOwn = items.some((item) => isUserMessage(item) && !item.given)
  return isOwn ? titleOf(items) : ''
}
