// The stored turns: start, steps, gates, end. Status, lease and cancel are columns that change.
import type { Door } from './doors.ts'
import type { NewGrant } from './grant.ts'
import type { UserId } from './ids.ts'
import type { Answer, Draft, Entry, Gate } from './item.ts'
import type { Lease } from './lease.ts'
import type { QueuedTurnStore } from './queued-turn.ts'
import type { Page, PageQuery } from './page.ts'
import type { ForkOrder } from './thread-store.ts'
import type { TurnStatus } from './turn-status.ts'
import type { ModelCall, Turn, TurnError, TurnOptions, Usage } from './turn.ts'
import type { CostSum } from './usage.ts'

/** A caller's key for a request, and the hash of its body: the same key with another body is refused. */
export type Idempotency = { readonly key: string; readonly bodyHash: string }

/** A turn to store. Without `threadId` and `threadKey` it gets a new thread. */
export type NewTurn = {
  readonly user: UserId
  readonly door: Door
  readonly threadId?: string
  /** The caller's own name for a conversation: the first use creates the thread, later uses find it. */
  readonly threadKey?: string
  /** Forks this thread before a seq, in the same transaction, and starts the turn in the fork. */
  readonly forks?: ForkOrder
  readonly title: string
  readonly input: readonly Draft[]
  readonly options: TurnOptions
  /** The last seq of the thread that `options.chain` continues. If the thread has gone on since, no history has the chain of the turn. */
  readonly chainSeq?: number
  /**
   * The turn whose answer ends what the client has of the thread. If a later one was answered since, runs or is queued, the
   * start is refused with conversation_busy: the history then belongs into a fork.
   */
  readonly historyEnd?: string
  /** The rule when the thread has an unfinished turn. `wait` queues behind one that runs, and refuses at an open gate. */
  readonly whenBusy: 'queue' | 'wait' | 'refuse'
  /** For a resume: the call whose output gate the input answers. If the request has no tools, those of the last turn apply. */
  readonly resumes?: string
  readonly idempotency?: Idempotency
  /** The hash of the body that began the turn. While that turn waits for a person, the same body starts no other. With a key it is the key's. */
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
  /** The idempotency key was used before, or the turn of this body waits for a person: this is that turn. */
  readonly replayed: boolean
}

/** How a turn stopped running. */
export type Outcome =
  | { readonly status: 'completed' }
  /** `held`: the turn stays with its process, where a call is open. */
  | { readonly status: 'waiting'; readonly held?: true }
  /** `failedCalls`: model calls that left no item. */
  | { readonly status: 'failed'; readonly error: TurnError; readonly failedCalls?: readonly ModelCall[] }
  | { readonly status: 'cancelled' }

/** One step of a turn, written as one transaction. */
export type Step = {
  readonly drafts: readonly Draft[]
  /** Totals of the turn up to and including this step. */
  readonly usage: Usage
  /** This step has the turn's first response, or its fault: the turn is counted in its user's usage. */
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

/** A turn in a list: without its options, with the title of its thread and the beginnings of its message and final reply. */
export type ListedTurn = Omit<Turn, 'options'> & {
  readonly title?: string
  readonly opening?: string
  readonly reply?: CutText
}

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

/** Which answered gates: of all turns, or of one call in one turn. */
export type AnsweredQuery = {
  readonly turnId?: string
  readonly callId?: string
  readonly since: number
  readonly limit: number
}

/** A gate with its answer. */
export type AnsweredGate = OpenGate & { readonly answer: Answer; readonly answeredAt: number }

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
  answeredGates(user: UserId, query: AnsweredQuery): Promise<readonly AnsweredGate[]>
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
  /** The beginning of the user's message; undefined if the turn has none, or one with a large attachment. */
  opening(user: UserId, turnId: string): Promise<string | undefined>
  list(user: UserId, query: TurnFilter & PageQuery): Promise<Page<ListedTurn>>
  /** Turns of all users that ended since a time and may be news: they failed or took over a minute. The latest first. */
  endedAsNews(since: number, limit: number): Promise<readonly ListedTurn[]>
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
