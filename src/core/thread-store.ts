// The stored threads and their items, which are append-only history.
import type { Erased } from './account.ts'
import type { Door } from './doors.ts'
import type { UserId } from './ids.ts'
import type { Draft, Entry, Item } from './item.ts'
import type { Page, PageQuery } from './page.ts'
import type { PastPart, PastThreads } from './past-threads.ts'
import type { Shelf, Thread, ThreadPlace, Turn } from './turn.ts'
import type { FamilyMember } from './variants.ts'

/** Where a thread is forked: before the item with this seq. */
export type ForkPoint = { readonly threadId: string; readonly beforeSeq: number }

/**
 * A fork on purpose, or a variant: a thread of the same conversation, for Retry and Edit. A conversation whose title is still
 * `plainTitle`, that of the first message, gets the title of the turn.
 */
export type ForkOrder = ForkPoint & { readonly variant?: true; readonly plainTitle?: string }

export type HistoryPart = { readonly after: number; readonly items: Item[]; readonly more?: boolean }

/** A point of a thread's replay chain: the history of an API client after the answer of a turn. */
export type ThreadPoint = {
  readonly threadId: string
  readonly turnId: string
  /** The last item of the thread when the answer was given. */
  readonly seq: number
  /** True if the client of the thread has had no other answer since, and no later turn runs or is queued. */
  readonly latest: boolean
  readonly hash: string
  /** The seq to fork the thread before. Absent if `latest`, for the first hash of a search: the thread then goes on. */
  readonly forkAt?: number
}

export type NewChainPoints = Pick<ThreadPoint, 'threadId' | 'turnId'> & { readonly hashes: readonly string[] }

/** The latest point of a thread's replay chain: the turn that gave the answer, and the hash for the next messages. */
export type ChainEnd = {
  readonly turnId: string
  readonly hash: string
  /** The last seq of the thread when this was read. */
  readonly lastSeq: number
  /** The hash of the instructions that stand in the thread. */
  readonly instructions?: string
}

/** Entries of a thread, in order; `more` if a bound was reached before the end of the range. */
export type Entries = { readonly entries: readonly Entry[]; readonly more: boolean }

/** A range of a thread: entries after `after`, at most `limit` of them and at most `maxBytes`, but at least one entry. */
export type EntryRange = {
  readonly after: number
  readonly upTo?: number
  readonly limit: number
  readonly maxBytes?: number
  /** Returns items exactly as stored, for a digest. By default the formats of earlier versions are converted. */
  readonly recorded?: true
}

/** Messages of a thread after `after`: up to `limit` items are passed, and at most `maxBytes` read, but at least one message. */
export type SaidRange = { readonly after: number; readonly limit: number; readonly maxBytes: number }

/** The texts of messages, in order, and the last seq that was passed; `more` if the thread goes on after it. */
export type Said = {
  readonly messages: readonly { readonly seq: number; readonly text: string }[]
  readonly through: number
  readonly more: boolean
}

/** The next headers of a thread from a seq on, which is not among them. */
export type HeaderRange = { readonly order: 'asc' | 'desc'; readonly from: number; readonly limit: number }

/** An input item of a queued turn: it has its ids, but no seq before the turn starts. */
export type QueuedEntry = Omit<Entry, 'seq'>

export type ItemRef = { readonly threadId: string; readonly itemId: string }

export type ThreadMetadata = Readonly<Record<string, string>>

/** A thread without a turn. With an empty title, its first message gives it one. */
export type NewThread = {
  readonly door: Door
  readonly title: string
  readonly metadata: ThreadMetadata
  /** Its first items. */
  readonly drafts: readonly Draft[]
}

export interface ThreadStore {
  get(user: UserId, threadId: string): Promise<Thread | undefined>
  /** Newest first: those in the list, or those that are pinned (by the time of that) or archived. */
  list(user: UserId, query: PageQuery & { shelf?: Shelf }): Promise<Page<Thread>>
  entries(user: UserId, threadId: string, range: EntryRange): Promise<Entries>
  /** The texts of a thread's messages, without attachments; none of a thread that the user does not reach. */
  said(user: UserId, threadId: string, range: SaidRange): Promise<Said>
  /** Entries whose texts are left out, to find those that are to be read. */
  headers(user: UserId, threadId: string, range: HeaderRange): Promise<readonly Entry[]>
  /** The input of queued turns of a thread, oldest first; bounded like a range. */
  queued(user: UserId, threadId: string, bounds: { limit: number; maxBytes: number }): Promise<readonly QueuedEntry[]>
  /** Items of the user's own threads; missing ones are left out. Throws too_large if they are too large together. */
  findItems(user: UserId, refs: readonly ItemRef[]): Promise<readonly Entry[]>
  /** The user's thread that waits for the output of a call. */
  findByOpenCall(user: UserId, callId: string): Promise<Thread | undefined>
  /**
   * The thread whose chain has one of these hashes, of this user alone: the first hash that any thread has. A thread that
   * has it as its latest point comes first, then the newest thread.
   */
  findByChain(user: UserId, hashes: readonly string[]): Promise<ThreadPoint | undefined>
  /** The latest point of a thread of this user's. Undefined if there is none, or many turns without a point came after it. */
  chainEnd(user: UserId, threadId: string): Promise<ChainEnd | undefined>
  /** Adds points after an answer that stored nothing. A search of this process that begins later finds them. */
  addChainPoints(user: UserId, points: NewChainPoints): Promise<void>
  /**
   * The items that a turn is based on, for its runner: all after the latest summary's `upTo`, and at least the turn's own;
   * or all after a given seq. The returned `after` is the seq before the first item. With `more`, these are the first ones.
   */
  history(turn: Turn, after?: number): Promise<HistoryPart>
  /** Makes a thread without a turn. Throws storage_full. */
  create(user: UserId, thread: NewThread): Promise<Thread>
  /**
   * Adds items of no turn to a thread of the user's own that is at rest. A thread without a title gets this one. Throws
   * not_found, storage_full, and what a message to a thread that is not at rest is refused with.
   */
  addItems(user: UserId, threadId: string, added: Pick<NewThread, 'title' | 'drafts'>): Promise<readonly Entry[]>
  /**
   * Empties an item of no turn, in a thread of the user's own, and its title if that is the one that the item gave it.
   * Nothing is done if there is no such item, or if a turn of the thread came after it, which has read it.
   */
  removeItem(user: UserId, item: ItemRef & { readonly title: string }): Promise<'removed' | 'missing' | 'read'>
  /** Replaces the metadata of a thread; false if there is no such thread. */
  setMetadata(user: UserId, threadId: string, metadata: ThreadMetadata): Promise<boolean>
  /** Sets the model of a thread from its next turn on, null for the usual one; false if there is no such thread. */
  setModel(user: UserId, threadId: string, model: string | null): Promise<boolean>
  /**
   * Pins, archives or brings back a thread; an archived one is not pinned. A temporary one that is pinned or archived is
   * kept. False if there is no such thread.
   */
  shelve(user: UserId, threadId: string, where: ThreadPlace): Promise<boolean>
  /** Shows a variant in lists, in place of another one of its family; false if there is no such thread. */
  show(user: UserId, threadId: string): Promise<boolean>
  /** The threads of a family, oldest first. */
  family(user: UserId, family: string): Promise<readonly FamilyMember[]>
  /**
   * Sets the title of a thread and its variants; false if there is no such thread, or none with the title `from`. Without
   * `from` a person chose it, which keeps a temporary thread.
   */
  rename(user: UserId, threadId: string, title: string, from?: string): Promise<boolean>
  /**
   * Makes a new thread of the user's with the entries before a seq, at the given door. Large items are shared, not copied. At that seq there must be a user
   * message, the output of a caller's function, or the end of a thread that is at rest. Its title says so. Undefined if there is no such thread. Throws invalid_input, too_large,
   * storage_full.
   */
  fork(user: UserId, threadId: string, at: { beforeSeq: number; door: Door }): Promise<Thread | undefined>
  /**
   * Removes the thread and its variants with their turns: nobody reaches them any more. Items that are too many for one
   * transaction are left to `eraseRemoved`. Returns the turns that had not ended; undefined if there is no such thread.
   */
  remove(user: UserId, threadId: string): Promise<readonly Turn[] | undefined>
  /** Erases a bounded part of what removed threads left. The caller repeats it while it returns true. */
  eraseRemoved(): Promise<boolean>
  /** Erases some temporary threads whose last turn ended before a time. Returns how many; the caller repeats it up to 0. */
  eraseTemporary(before: number): Promise<number>
  /** Erases, or counts, some threads at rest of everybody without activity since a time. To be repeated while it has `next`. */
  erasePast(before: number, how?: { readonly next?: PastThreads; readonly dryRun?: boolean }): Promise<PastPart>
  /** Erases a bounded part of a user's threads. The caller repeats it while `more` is true. */
  eraseSome(user: UserId): Promise<{
    readonly erased: Pick<Erased, 'threads' | 'turns' | 'items'>
    readonly threadIds: readonly string[]
    readonly unfinished: readonly Turn[]
    readonly more: boolean
  }>
}
