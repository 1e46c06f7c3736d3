// The storage interface. Items are append-only history; status, lease and cancel are columns that change. Every method on
// a user's rows takes the user's id. The operator's id also reaches rows of doors whose senders have no account
// (`core/doors`).
import type { AccountStore, Erased, IdentityStore, SessionStore } from './account.ts'
import type { ChannelRecords, PairedChat, Updates } from './channel.ts'
import type { Door } from './doors.ts'
import type { DocumentStore } from './document.ts'
import type { GrantStore, NewGrant } from './grant.ts'
import type { UserId } from './ids.ts'
import type { Answer, Draft, Entry, Gate, Item } from './item.ts'
import type { Json } from './json.ts'
import type { McpStore } from './mcp.ts'
import type { MissedRow, Mission, MissionRecords, MissionRun, PauseRule } from './mission.ts'
import type { NotificationStore } from './notification.ts'
import type { PastPart, PastThreads } from './past-threads.ts'
import type { ModelCall, Shelf, Thread, ThreadPlace, Turn, TurnError, TurnOptions, Usage } from './turn.ts'
import type { TurnStatus } from './turn-status.ts'
import type { QueuedTurnStore } from './queued-turn.ts'
import type { SecretStore } from './secret.ts'
import type { SkillStore } from './skill.ts'
import type { ThreadIndexStore } from './thread-index.ts'
import type { ToolStore } from './tool-record.ts'
import type { CostSum, UsageStore } from './usage.ts'
import type { VectorStore } from './vector.ts'

/** The process that runs a turn, and how many times it has joined. An append under an old lease is refused. */
export type Lease = { readonly owner: string; readonly epoch: number }

/** A caller's key for a request, and the hash of its body: the same key with another body is refused. */
export type Idempotency = { readonly key: string; readonly bodyHash: string }

/** Where a thread is forked: before the item with this seq. */
export type ForkPoint = { readonly threadId: string; readonly beforeSeq: number }

/** A point of a thread's replay chain: the history of an API client after the answer of a turn. */
export type ThreadPoint = {
  readonly threadId: string
  readonly turnId: string
  /** The last item of the thread when the answer was given. */
  readonly seq: number
  /** True if the client of the thread has had no other answer since. */
  readonly latest: boolean
  readonly hash: string
  /** The seq to fork the thread before. Absent if `latest`, for the first hash of a search: the thread then goes on. */
  readonly forkAt?: number
}

/** A turn to store. Without `threadId` and `threadKey` it gets a new thread. */
export type NewTurn = {
  readonly user: UserId
  readonly door: Door
  readonly threadId?: string
  /** The caller's own name for a conversation: the first use creates the thread, later uses find it. */
  readonly threadKey?: string
  /** Forks this thread before a seq, in the same transaction, and starts the turn in the fork. */
  readonly forks?: ForkPoint
  readonly title: string
  readonly input: readonly Draft[]
  readonly options: TurnOptions
  /** What to do when the thread has an unfinished turn. `wait` queues behind one that runs, and refuses at an open gate. */
  readonly whenBusy: 'queue' | 'wait' | 'refuse'
  /** For a resume: the call whose output gate the input answers. If the request has no tools, those of the last turn apply. */
  readonly resumes?: string
  readonly idempotency?: Idempotency
  /** The hash of the body that began the turn, by which `findWaiting` finds it. With a key it is the key's. */
  readonly bodyHash?: string
  /** The service's tools that the caller may use, whatever `options` say. */
  readonly allowedTools?: readonly string[] | undefined
  /** The model of the thread from this turn on, null for the usual one. Without it the thread keeps its own. */
  readonly model?: string | null
  /** Makes a new thread temporary, and leaves one so. Any other turn keeps its thread for good. */
  readonly temporary?: true
  /** Set if this process can run another turn: the turn of an idle thread then starts in the same transaction. */
  readonly lease?: Lease
}

/** A turn that now runs under the caller's lease, and the entries that its start appended. */
export type StartedTurn = { readonly turn: Turn; readonly entries: readonly Entry[] }

/** A turn after a request to end it; `changed` if this request ended it. */
export type EndedTurn = StartedTurn & { readonly changed: boolean }

export type StoredTurn = StartedTurn & {
  /** The idempotency key was used before: this is the turn it created. */
  readonly replayed: boolean
}

/** How a turn stopped running. */
export type Outcome =
  | { readonly status: 'completed' }
  /** `held`: the turn stays with its process, where a call is open. */
  | { readonly status: 'waiting'; readonly held?: true }
  | { readonly status: 'failed'; readonly error: TurnError }
  | { readonly status: 'cancelled' }

/** One step of a turn, written as one transaction. */
export type Step = {
  readonly drafts: readonly Draft[]
  /** Totals of the turn up to and including this step. */
  readonly usage: Usage
  /** This step has the turn's first response: the turn is counted in its user's usage. */
  readonly first?: true
  /** Usage of a model call that failed and left no item. */
  readonly asked?: ModelCall
  /** Present on the last step. */
  readonly outcome?: Outcome
  /** All entries of the turn before this step, if the runner has them: the digest then needs no read. */
  readonly earlier?: readonly Entry[]
  /** The step was sent before with unknown outcome: it must not be written twice. */
  readonly retry?: true
}

/** The beginning of a text; `cut` if the text goes on. */
export type CutText = { readonly text: string; readonly cut: boolean }

/** A turn in a list: without its options, with the title of its thread and the beginning of its final reply. */
export type ListedTurn = Omit<Turn, 'options'> & { readonly title?: string; readonly reply?: CutText }

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

/** The next headers of a thread from a seq on, which is not among them. */
export type HeaderRange = { readonly order: 'asc' | 'desc'; readonly from: number; readonly limit: number }

/** An input item of a queued turn: it has its ids, but no seq before the turn starts. */
export type QueuedEntry = Omit<Entry, 'seq'>

export type ItemRef = { readonly threadId: string; readonly itemId: string }

/** The result of a reservation, with the user's spending of the day and the sum reserved for the user's other turns. */
export type Reservation = { readonly granted: boolean; readonly spentUsd: number; readonly heldUsd: number }

/** A gate without an answer, when it was opened, and its turn. */
export type OpenGate = { readonly turn: Omit<Turn, 'options'>; readonly gate: Gate; readonly at: number }

/** Which open gates: of one thread, of one call in it, opened since a time. */
export type GatesQuery = {
  readonly threadId?: string
  readonly callId?: string
  readonly since?: number
  readonly limit: number
}

/** A gate with its answer. */
export type AnsweredGate = OpenGate & { readonly answer: Answer; readonly answeredAt: number }

export type Page<T> = { readonly rows: readonly T[]; readonly nextCursor?: string }

/** Filters for the turns that a user reaches: by status, by owner. */
export type TurnFilter = { readonly status?: TurnStatus; readonly of?: UserId }

export interface TurnStore extends QueuedTurnStore {
  /** The turn that a key created. Throws idempotency_conflict if the key was used with another body. */
  findByKey(user: UserId, idempotency: Idempotency): Promise<Turn | undefined>
  /** The turn of a door that this body began and that waits for an approval or a sign-in. */
  findWaiting(user: UserId, door: Door, bodyHash: string): Promise<Turn | undefined>
  /** Throws not_found, storage_full, conversation_busy, tool_output_required, no_open_gate, call_id_mismatch, idempotency_conflict. */
  start(turn: NewTurn): Promise<StoredTurn>
  /** Starts queued turns whose thread is free: fairly between users, oldest first for each. `more` if queued turns are left. */
  claim(lease: Lease, limit: number): Promise<{ started: StartedTurn[]; more: boolean }>
  /** Writes a step of a running turn. Throws lease_lost if the turn no longer runs under this lease: the caller must stop. */
  record(turn: Turn, lease: Lease, step: Step): Promise<{ turn: Turn; entries: readonly Entry[] }>
  /**
   * Reserves money for a model call, within the user's daily cap. The turn's next step, or its end, clears the
   * reservation. Throws lease_lost like `record`.
   */
  reserve(turn: Turn, lease: Lease, amount: { usd: number; cap: number }): Promise<Reservation>
  /**
   * Answers a gate and requeues its turn, in one transaction; a turn with an open call goes on in its process. Throws
   * invalid_input when values are missing, or given for another kind of gate.
   */
  answer(
    user: UserId,
    threadId: string,
    answer: Draft,
    /** A grant that the answer gives beyond this call. */
    grant?: NewGrant,
  ): Promise<{ turn: Turn; entries: readonly Entry[] }>
  /** Approvals and sign-ins without an answer, opened since a time, oldest turn first: of one thread or of all. */
  openGates(user: UserId, query: GatesQuery): Promise<readonly OpenGate[]>
  /** Approvals and sign-ins that were answered since a time, latest first, in all threads that the user reaches. */
  answeredGates(user: UserId, query: { since: number; limit: number }): Promise<readonly AnsweredGate[]>
  /**
   * Cancels a turn that is queued, waiting, or completed with an open output gate; its open calls get a result. A turn that
   * is running or has ended is returned unchanged.
   */
  cancel(user: UserId, turnId: string): Promise<EndedTurn>
  /** Like `cancel`, but ends a running turn too: its runner loses it. With a fault the turn ends as failed. */
  end(user: UserId, turnId: string, fault?: TurnError): Promise<EndedTurn>
  get(user: UserId, turnId: string): Promise<Turn | undefined>
  /** The turn that occupies a thread: running or waiting, else the first queued one, else one with an open output gate. */
  current(user: UserId, threadId: string): Promise<Turn | undefined>
  /** The digest of the turn's entries, stored when it ended; undefined if there is none. */
  hash(user: UserId, turnId: string): Promise<string | undefined>
  /** A turn of a door, of any user. Only for a door that authenticates all its senders by one secret. */
  findByDoor(door: Door, turnId: string): Promise<Turn | undefined>
  list(user: UserId, query: TurnFilter & { limit: number; cursor?: string }): Promise<Page<ListedTurn>>
  /** The number of turns that `list` would find, counted up to 10,000. */
  countAll(user: UserId, which?: TurnFilter): Promise<number>
  /** Senders without an account who have turns, by door and id. */
  senders(limit: number): Promise<readonly UserId[]>
  /** Hides a turn from `get` and `list` and forgets its idempotency key; its items stay in the history of the thread. */
  remove(user: UserId, turnId: string): Promise<boolean>
  /** Requeues turns that are marked as running under an expired lease. Returns how many. */
  recover(alive: Lease): Promise<number>
  /** The turns that run under a lease, according to the database. */
  runningUnder(lease: Lease): Promise<readonly Turn[]>
  /** Requeues a turn that runs under this lease, for a restart or another process. */
  release(turn: Turn, lease: Lease): Promise<void>
  /** Waiting turns with gates that were opened before a time, for expiry. */
  waitingSince(before: number, user?: UserId): Promise<readonly { turn: Turn; callIds: readonly string[] }[]>
  /** The opening time of the oldest open gate that was opened since a time, over all waiting turns. */
  oldestGate(since: number): Promise<number | undefined>
  count(user: UserId | undefined): Promise<{ queued: number; running: number; waiting: number; costToday: CostSum }>
}

/** What is done about the instants of a mission that are due, in one transaction. */
export type Firing = {
  readonly mission: Mission
  readonly missed: readonly MissedRow[]
  /** The instant that runs, with its turn; or why it fails without one. */
  readonly run?: { readonly at: number; readonly turn: NewTurn } | { readonly at: number; readonly fault: string }
  /** The next instant; without one the mission is done. */
  readonly next?: number
  /** Runs at once in the whole service. */
  readonly maxRunning: number
  readonly pause: PauseRule
}

/**
 * `lost`: the mission was changed, or another process was first. `full`: as many run as may; nothing was written.
 * `recorded`: rows without a turn.
 */
export type Fired =
  | { readonly type: 'started'; readonly stored: StoredTurn }
  | { readonly type: 'recorded'; readonly paused: boolean }
  | { readonly type: 'lost' | 'full' }

export interface MissionStore extends MissionRecords {
  fire(firing: Firing): Promise<Fired>
  /** Starts a run outside of the schedule. Throws mission_running, overloaded. */
  runNow(mission: Mission, turn: NewTurn, maxRunning: number): Promise<{ stored: StoredTurn; run: MissionRun }>
}

/** Chat channels. An update and the turn that it begins are stored together. */
export interface ChannelStore extends ChannelRecords {
  /** Starts the turn of a message, in the chat's thread; undefined where `takeEffect` gives false. Throws like `start`. */
  takeTurn(
    updates: Updates,
    chat: PairedChat,
    message: { turn: NewTurn; source: string },
  ): Promise<StoredTurn | undefined>
}

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
  list(user: UserId, query: { limit: number; cursor?: string; shelf?: Shelf }): Promise<Page<Thread>>
  entries(user: UserId, threadId: string, range: EntryRange): Promise<Entries>
  /** Entries whose texts are left out, to find those that are to be read. */
  headers(user: UserId, threadId: string, range: HeaderRange): Promise<readonly Entry[]>
  /** The input of queued turns of a thread, oldest first; bounded like a range. */
  queued(user: UserId, threadId: string, bounds: { limit: number; maxBytes: number }): Promise<readonly QueuedEntry[]>
  /** Items that the user reaches; missing ones are left out. Throws too_large if they are too large together. */
  findItems(user: UserId, refs: readonly ItemRef[]): Promise<readonly Entry[]>
  /** The user's thread that waits for the output of a call. */
  findByOpenCall(user: UserId, callId: string): Promise<Thread | undefined>
  /**
   * The thread whose chain has one of these hashes, of this user alone: the first hash that any thread has. A thread that
   * has it as its latest point comes first, then the newest thread.
   */
  findByChain(user: UserId, hashes: readonly string[]): Promise<ThreadPoint | undefined>
  /** Adds a point behind an answer that stored nothing. */
  addChainPoint(user: UserId, point: Pick<ThreadPoint, 'threadId' | 'turnId' | 'hash'>): Promise<void>
  /**
   * The items that a turn is based on, for its runner: all after the latest summary's `upTo`, and at least the turn's own;
   * or all after a given seq. The returned `after` is the seq before the first item.
   */
  history(turn: Turn, after?: number): Promise<{ readonly after: number; readonly items: Item[] }>
  /** Makes a thread without a turn. Throws storage_full. */
  create(user: UserId, thread: NewThread): Promise<Thread>
  /** Replaces the metadata of a thread; false if there is no such thread. */
  setMetadata(user: UserId, threadId: string, metadata: ThreadMetadata): Promise<boolean>
  /** Sets the model of a thread from its next turn on, null for the usual one; false if there is no such thread. */
  setModel(user: UserId, threadId: string, model: string | null): Promise<boolean>
  /** Pins, archives or brings back a thread; an archived one is not pinned. False if there is no such thread. */
  shelve(user: UserId, threadId: string, where: ThreadPlace): Promise<boolean>
  /** Sets the title of a thread; false if there is no such thread. */
  rename(user: UserId, threadId: string, title: string): Promise<boolean>
  /**
   * Makes a new thread of the user's with the entries before a seq, at the given door. Large items are shared, not copied. At that seq there must be a user
   * message, the output of a caller's function, or the end of a thread that is at rest. Undefined if there is no such thread. Throws invalid_input, too_large,
   * storage_full.
   */
  fork(user: UserId, threadId: string, at: { beforeSeq: number; door: Door }): Promise<Thread | undefined>
  /** Erases the thread with its turns and items. Returns the turns that had not ended; undefined if there is no such thread. */
  remove(user: UserId, threadId: string): Promise<readonly Turn[] | undefined>
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

export interface StorageStore {
  /** The bytes that a user stores in threads and documents, and the most that they may; no maximum without a quota. */
  used(user: UserId): Promise<{ readonly bytes: number; readonly maxBytes?: number }>
}

export type Settings = Readonly<Record<string, Json>>

export interface SettingStore {
  all(): Promise<Settings>
  set(name: string, value: Json | undefined): Promise<void>
  /** Writes what `decide` returns, in one transaction: of two concurrent changes the later sees the earlier. */
  change(decide: (stored: Settings) => Readonly<Record<string, Json | undefined>>): Promise<void>
}

/** Work that only one of all processes does at a time. */
export type Duty = 'vectors' | 'temporary threads' | 'thread index' | 'notifications' | 'retention' | `channel ${Door}`

export interface LeaseStore {
  /** Joins, or joins again after a lost lease. */
  join(owner: string): Promise<Lease>
  /** Renews the lease. False if it has expired: other processes may have taken its turns. */
  beat(lease: Lease): Promise<boolean>
  leave(lease: Lease): Promise<void>
  /** The number of live processes; 0 on SQLite, where the home's lock allows only one. */
  alive(): Promise<number>
  /**
   * True if this process has the duty for the next `forMs`; to keep it, the process takes it again in time. A process that
   * has left, or whose lease has expired, loses its duties. On SQLite the process that holds the home has every duty.
   */
  takeDuty(duty: Duty, owner: string, forMs: number): Promise<boolean>
  leaveDuty(duty: Duty, owner: string): Promise<void>
}

export interface LimitStore {
  /** Counts one use of a key within a window, if the limit allows it. If not, `retryAfterMs` is when it will. */
  take(key: string, limit: number, windowMs: number, now: number): Promise<{ allowed: boolean; retryAfterMs: number }>
}

export interface Store {
  readonly backend: 'sqlite' | 'postgres'
  readonly turns: TurnStore
  readonly threads: ThreadStore
  readonly threadIndex: ThreadIndexStore
  readonly storage: StorageStore
  readonly usage: UsageStore
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly identities: IdentityStore
  readonly grants: GrantStore
  readonly missions: MissionStore
  readonly channels: ChannelStore
  readonly notifications: NotificationStore
  readonly secrets: SecretStore
  readonly settings: SettingStore
  readonly tools: ToolStore
  readonly mcp: McpStore
  readonly skills: SkillStore
  readonly documents: DocumentStore
  readonly vectors: VectorStore
  /** Rate limits of callers: in memory on SQLite, shared through the database on PostgreSQL. */
  readonly limits: LimitStore
  /** Rate limits that survive a restart. */
  readonly persistentLimits: LimitStore
  readonly leases: LeaseStore
  /** What the database lacks of the schema, one line each; empty if it is complete. */
  check(): Promise<readonly string[]>
  /** Throws database_unavailable if the database does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}
