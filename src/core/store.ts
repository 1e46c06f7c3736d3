// What the floors above need from storage. Content is history (append-only items); status, lease and cancel are
// current facts. Every verb on a user's rows takes the user's id; the operator's id also reaches those of doors whose
// senders have no account (`core/doors`).
import type { AccountStore, Erased, IdentityStore, SessionStore } from './account.ts'
import type { Door } from './doors.ts'
import type { DocumentStore } from './document.ts'
import type { GrantStore, NewGrant } from './grant.ts'
import type { UserId } from './ids.ts'
import type { Answer, Draft, Entry, Gate, Item } from './item.ts'
import type { Json } from './json.ts'
import type { ModelCall, Thread, Turn, TurnError, TurnOptions, TurnStatus, Usage } from './turn.ts'
import type { SecretStore } from './secret.ts'
import type { UsageStore } from './usage.ts'
import type { VectorStore } from './vector.ts'

/** Who runs a turn: a process, and how often it has joined. An append under an old lease is refused. */
export type Lease = { readonly owner: string; readonly epoch: number }

/** A caller's key for a request, and what tells that it is the same one. */
export type Idempotency = { readonly key: string; readonly bodyHash: string }

/** A turn to be stored. Without `threadId` a thread is made. */
export type NewTurn = {
  readonly user: UserId
  readonly door: Door
  readonly threadId?: string
  /** The caller's own name for a conversation: the first use makes the thread, later ones find it. */
  readonly threadKey?: string
  readonly title: string
  readonly input: readonly Draft[]
  readonly options: TurnOptions
  /** What to do when the thread has an unfinished turn. */
  readonly whenBusy: 'queue' | 'refuse'
  /** A resume: the call whose output gate the input answers. Its tools, when none are sent, are the last turn's. */
  readonly resumes?: string
  readonly idempotency?: Idempotency
  /** Given when this process has room: an idle thread's turn then starts in the same transaction. */
  readonly lease?: Lease
}

/** A turn that runs under our lease now, with what its start appended. */
export type StartedTurn = { readonly turn: Turn; readonly entries: readonly Entry[] }

/** A turn that was to end, and whether it did so now. */
export type EndedTurn = StartedTurn & { readonly changed: boolean }

export type Stored = StartedTurn & {
  /** The same idempotency key was seen before: this is the turn it made. */
  readonly replayed: boolean
}

/** How a turn came to rest. */
export type Outcome =
  | { readonly status: 'completed' }
  | { readonly status: 'waiting' }
  | { readonly status: 'failed'; readonly error: TurnError }
  | { readonly status: 'cancelled' }

/** One step of a turn, written as one transaction. */
export type Step = {
  readonly drafts: readonly Draft[]
  /** Totals of the turn so far. */
  readonly usage: Usage
  /** The turn's first response is in it: from here on it counts in what its user has used. */
  readonly first?: true
  /** What a call of a model took that broke off and left nothing behind. */
  readonly asked?: ModelCall
  /** Present on the last step. */
  readonly outcome?: Outcome
  /** The entries of the turn before this step, where its runner has seen all of them: they need not be read again. */
  readonly earlier?: readonly Entry[]
  /** The step was sent before and nobody heard what came of it. */
  readonly again?: true
}

/** The beginning of a text, and whether something follows. */
export type CutText = { readonly text: string; readonly cut: boolean }

/**
 * A turn as a list has it: without what its request said, with the title of its thread and the beginning of the reply it
 * ended with.
 */
export type ListedTurn = Omit<Turn, 'options'> & { readonly title?: string; readonly reply?: CutText }

/** Entries of a thread, in order. `more` tells that a bound ended them before the thread did. */
export type Entries = { readonly entries: readonly Entry[]; readonly more: boolean }

/** A stretch of a thread: above `after`, at most `limit` entries, of at most `maxBytes` unless the first alone has more. */
export type Stretch = {
  readonly after: number
  readonly upTo?: number
  readonly limit: number
  readonly maxBytes?: number
  /** Letter by letter as it was recorded, for a digest; what earlier versions wrote is else read as today's. */
  readonly recorded?: true
}

/** What was sent to a thread and waits for the turn before it: it has its ids, and no seq yet. */
export type Queued = Omit<Entry, 'seq'>

/** Where an item stands: an id is looked for in its thread. */
export type ItemPlace = { readonly threadId: string; readonly itemId: string }

/** Whether money is held, what the user's day has cost so far, and what is held for other turns. */
export type Reserved = { readonly granted: boolean; readonly spentUsd: number; readonly heldUsd: number }

/** A gate that waits for an answer, since when, and the turn that waits at it. */
export type OpenGate = { readonly turn: Omit<Turn, 'options'>; readonly gate: Gate; readonly at: number }

/** What was said to a gate, and when. */
export type AnsweredGate = OpenGate & { readonly answer: Answer; readonly answeredAt: number }

export type Page<T> = { readonly rows: readonly T[]; readonly nextCursor?: string }

/** Of all the turns that a user reaches: those with a status, those of one user. */
export type Which = { readonly status?: TurnStatus; readonly of?: UserId }

export interface TurnStore {
  /** The turn that a key has made. Throws idempotency_conflict when it came with another body. */
  findByKey(user: UserId, idempotency: Idempotency): Promise<Turn | undefined>
  /** Throws not_found, conversation_busy, tool_output_required, no_open_gate, call_id_mismatch, idempotency_conflict. */
  start(turn: NewTurn): Promise<Stored>
  /** Takes queued turns whose thread is free, fairly between users, oldest first within one; `more` tells whether any are left. */
  claim(lease: Lease, limit: number): Promise<{ started: StartedTurn[]; more: boolean }>
  /** Writes a step of a running turn. Throws lease_lost when the turn is no longer this lease's: the caller must stop. */
  record(turn: Turn, lease: Lease, step: Step): Promise<{ turn: Turn; entries: readonly Entry[] }>
  /**
   * Holds money for a call of a model against what its user may spend on one day; the turn's next step lets go of it, and
   * so does its end. Throws lease_lost like `record`.
   */
  reserve(turn: Turn, lease: Lease, held: { usd: number; cap: number }): Promise<Reserved>
  /** Answers an approval or credential gate and queues its turn again, in one transaction. */
  answer(
    user: UserId,
    threadId: string,
    answer: Draft,
    /** What the answer allows beyond this call. */
    grant?: NewGrant,
  ): Promise<{ turn: Turn; entries: readonly Entry[] }>
  /** Approvals and sign-ins that nobody has answered, oldest turn first, of one thread or of all that the user reaches, opened `since` a time. */
  gates(user: UserId, query: { threadId?: string; since?: number; limit: number }): Promise<readonly OpenGate[]>
  /** Approvals and sign-ins that were answered since a time, latest first, of all that the user reaches. */
  answered(user: UserId, query: { since: number; limit: number }): Promise<readonly AnsweredGate[]>
  /**
   * Cancels a turn that is queued, waiting, or completed with an open output gate; its open calls get a result. One that runs
   * or has ended is returned as it is.
   */
  cancel(user: UserId, turnId: string): Promise<EndedTurn>
  /** The same for a turn that runs as well: it is taken from whoever runs it. With a fault it ends as failed. */
  end(user: UserId, turnId: string, fault?: TurnError): Promise<EndedTurn>
  get(user: UserId, turnId: string): Promise<Turn | undefined>
  /** The turn that a thread of the user's is busy with: one that runs or waits, else the first that is queued, else one that left its caller a call. */
  holding(user: UserId, threadId: string): Promise<Turn | undefined>
  /** The digest of the turn's entries, taken when it ended; undefined where none was. */
  hash(user: UserId, turnId: string): Promise<string | undefined>
  /** A turn of a door, whoever its user. For that door alone, where its own secret is the identity of all its senders. */
  findByDoor(door: Door, turnId: string): Promise<Turn | undefined>
  list(user: UserId, query: Which & { limit: number; cursor?: string }): Promise<Page<ListedTurn>>
  /** How many `list` would find, counted up to 10,000. */
  countAll(user: UserId, which?: Which): Promise<number>
  /** Senders without an account who have sent something, by door and in order of their ids: at most so many. */
  senders(limit: number): Promise<readonly UserId[]>
  /** Hides a turn from `get` and `list` and forgets its idempotency key; its items stay in the history of the thread. */
  remove(user: UserId, turnId: string): Promise<boolean>
  /** Puts back into the queue what is marked as running under a lease that is no more. */
  recover(alive: Lease): Promise<number>
  /** The turns that run under a lease, as far as the database knows. */
  heldBy(lease: Lease): Promise<readonly Turn[]>
  /** Puts a turn of ours back into the queue, for a restart or another process. */
  release(turn: Turn, lease: Lease): Promise<void>
  /** Waiting turns whose gates have been open since before a time, for expiry. */
  waitingSince(before: number, user?: UserId): Promise<readonly { turn: Turn; callIds: readonly string[] }[]>
  /** When the oldest of the gates was opened that waiting turns have had since a time, of everybody. */
  oldestGate(since: number): Promise<number | undefined>
  count(user: UserId | undefined): Promise<{ queued: number; running: number; waiting: number; costTodayUsd: number }>
}

export interface ThreadStore {
  get(user: UserId, threadId: string): Promise<Thread | undefined>
  list(user: UserId, query: { limit: number; cursor?: string }): Promise<Page<Thread>>
  entries(user: UserId, threadId: string, stretch: Stretch): Promise<Entries>
  /** What waits in a thread of the user's to enter its log, first come first; bounded like a stretch. */
  queued(user: UserId, threadId: string, bounds: { limit: number; maxBytes: number }): Promise<readonly Queued[]>
  /** The items of this user's at these places; what is not there is left out. Throws too_large when they are too much to read. */
  findItems(user: UserId, places: readonly ItemPlace[]): Promise<readonly Entry[]>
  /** The thread of this user's that waits for the output of a call. */
  findByOpenCall(user: UserId, callId: string): Promise<Thread | undefined>
  /**
   * The items that a turn goes by, for the runner that holds it: those behind the seq that the latest summary of its thread
   * reaches up to, and those of the turn itself; or all those after a seq. `after` is the one before the first.
   */
  history(turn: Turn, after?: number): Promise<{ readonly after: number; readonly items: Item[] }>
  /** Gives a thread another title; false when there is no such thread. */
  rename(user: UserId, threadId: string, title: string): Promise<boolean>
  /**
   * A new thread of the user's, at the door that asks, with what stands before a seq, at which a message of a person must stand, or nothing yet in
   * a thread that rests. Undefined when there is no such thread. Throws invalid_input and too_large.
   */
  fork(user: UserId, threadId: string, place: { beforeSeq: number; door: Door }): Promise<Thread | undefined>
  /** Erases the thread with its turns and items. Tells which turns had not ended; undefined when there is no such thread. */
  remove(user: UserId, threadId: string): Promise<readonly Turn[] | undefined>
  /** Erases some of a user's threads: a bounded part, to be called while there is more. */
  eraseSome(
    user: UserId,
  ): Promise<{ erased: Pick<Erased, 'threads' | 'turns' | 'items'>; unfinished: readonly Turn[]; more: boolean }>
}

export type Settings = Readonly<Record<string, Json>>

export interface SettingStore {
  all(): Promise<Settings>
  set(name: string, value: Json | undefined): Promise<void>
  /** Stores what is decided by what stands, in one write: of two changes at once the later sees the earlier. */
  change(decide: (stored: Settings) => Readonly<Record<string, Json | undefined>>): Promise<void>
}

/** An installed component, as it is kept: what it said of itself was asked once, when it was installed. */
export type ToolRecord = {
  readonly name: string
  readonly sha256: string
  /** The text of its capability file. */
  readonly capabilities: string
  readonly description: string
  /** The JSON text of its parameters' schema. */
  readonly schema: string
  readonly installedAt: number
}

export interface ToolStore {
  /** Stores or replaces a tool of this name. */
  put(tool: Omit<ToolRecord, 'installedAt'>, component: Uint8Array): Promise<void>
  list(): Promise<readonly ToolRecord[]>
  component(name: string): Promise<Uint8Array | undefined>
  remove(name: string): Promise<boolean>
}

/** Work that one of all processes does. */
export type Duty = 'vectors'

export interface LeaseStore {
  /** Joins, or joins anew after a lease was lost. */
  join(owner: string): Promise<Lease>
  /** False when the lease has run out: others may have taken the turns under it. */
  beat(lease: Lease): Promise<boolean>
  leave(lease: Lease): Promise<void>
  /** How many processes are alive. None where the home's lock tells it. */
  alive(): Promise<number>
  /**
   * True when this process has the duty from now on, for so long at most: it takes the duty again in time. A process that
   * has left, or is not heard of any more, has none. On SQLite the process that has the home has every duty.
   */
  takeDuty(duty: Duty, owner: string, forMs: number): Promise<boolean>
  leaveDuty(duty: Duty, owner: string): Promise<void>
}

export interface LimitStore {
  /** Counts one use of a key within a window; tells whether it is allowed and, if not, when to come back. */
  take(key: string, limit: number, windowMs: number, now: number): Promise<{ allowed: boolean; retryAfterMs: number }>
}

export interface Store {
  readonly backend: 'sqlite' | 'postgres'
  readonly turns: TurnStore
  readonly threads: ThreadStore
  readonly usage: UsageStore
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly identities: IdentityStore
  readonly grants: GrantStore
  readonly secrets: SecretStore
  readonly settings: SettingStore
  readonly tools: ToolStore
  readonly documents: DocumentStore
  readonly vectors: VectorStore
  /** Limits of callers: of this process on SQLite, shared on PostgreSQL. */
  readonly limits: LimitStore
  /** Limits that outlive the process. */
  readonly lastingLimits: LimitStore
  readonly leases: LeaseStore
  /** What the database lacks of the schema, a line each; nothing when it has all of it. */
  check(): Promise<readonly string[]>
  /** Throws database_unavailable when work cannot be taken. */
  ping(): Promise<void>
  close(): Promise<void>
}
