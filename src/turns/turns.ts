// Turns for doors: start, cancel, read, watch. Doors translate; the rules are here.
import type { Erased } from '#core/account.ts'
import type { Bus, ListChanges } from '#core/bus.ts'
import { doorOf } from '#core/doors.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { Draft, Entry, Item } from '#core/item.ts'
import type { EndedTurn, NewTurn, StoredTurn, TurnStore } from '#core/turn-store.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { ended } from '#core/turn-status.ts'
import { type Compacted, compactHistory, type LongHistory } from './compaction-request.ts'
import { createMarker, type Marker } from '#safety/marks.ts'
import type { UserMask } from '#safety/secret-values.ts'
import { entriesOf } from './turn-entries.ts'
import { chosenModel, type ModelChecks } from './thread-model.ts'
import { draftsOf, titleOf } from './message.ts'
import { withPlainTitle } from './plain-title.ts'
import { createQueuedMessages, type QueuedMessages } from './queued-messages.ts'
import { readReceipt, type Receipt } from './receipt.ts'
import { type PrunedPart, type PruneOrder, pruneSome } from './retention.ts'
import { removeUser } from './user-removal.ts'
import type { Runner } from './runner.ts'
import type { Observer } from './turn-metrics.ts'
import { callOnce, type CallOptions, type SingleAnswer, type SingleCall } from './single-call.ts'
import type { Spend } from './spend.ts'
import { cancelSignal, publishAndWake, publishEntries } from './announce.ts'
import { createReplayPlaces } from './replay-places.ts'
import { type Follow, followTurn, type Watch, watchThread } from './watch.ts'

/** Grace period for a cancelled turn to stop by itself and store its partial text; then it is ended in the store. */
const cancelGraceMs = 700
/** Retry-After while the maximum of turns runs: turns end all the time. */
const fullRetrySecs = 2

export type StartTurn = Omit<NewTurn, 'lease' | 'input' | 'title'> & {
  readonly input: readonly Item[]
  /** The title of a new thread. By default it is made from the input. */
  readonly title?: string
  /** The id of the request that starts the turn; logged when the turn ends. */
  readonly request?: string
}

export type Start = {
  readonly turn: Turn
  readonly replayed: boolean
  /** Entries that the start appended: the turn's input, or none while it is queued. */
  readonly entries: readonly Entry[]
  /** The input with the ids that it has, or will have, in the thread. On a replay it was not stored. */
  readonly input: readonly Draft[]
  /** All events of the turn up to its rest (completed, failed, cancelled or waiting). Must be read or closed. */
  readonly events: Follow
}

type Reading = Pick<
  TurnStore,
  'findByKey' | 'findWaiting' | 'get' | 'current' | 'findByDoor' | 'opening' | 'list' | 'countAll' | 'count'
>

export interface Turns extends Reading, QueuedMessages {
  /** Stores the turn; once this resolves it will not be lost. */
  start(turn: StartTurn): Promise<Start>
  /** The same for a turn that `save` stores as a part of a larger transaction, or does not store after all. */
  startBy(turn: StartTurn, save: (turn: NewTurn) => Promise<StoredTurn | undefined>): Promise<Start | undefined>
  /** The fault that a message whose caller waits would be refused with now. A door may ask before it reads the message. */
  refusal(): AppError | undefined
  /** Ends a turn, also one that waits for its caller, which frees the thread. Idempotent. */
  cancel(user: UserId, turnId: string): Promise<Turn>
  /** Stops a turn that a door no longer waits for; the turn fails with the fault's code. */
  abandon(turn: Turn, fault: AppError): Promise<Turn>
  remove(user: UserId, turnId: string): Promise<boolean>
  /** The receipt of a turn, read from its entries, and whether they are unchanged since it ended. */
  receipt(user: UserId, turnId: string): Promise<Receipt | undefined>
  /** The turn's entries in order. Throws too_large beyond a size limit. */
  entries(user: UserId, turn: Omit<Turn, 'options'>): Promise<Entry[]>
  /** Senders without an account; the operator has access to their turns. */
  senders(): Promise<readonly UserId[]>
  /** Stops a user's turns and erases all their data; undefined when no user has this name. */
  removeUser(name: string): Promise<Erased | undefined>
  /** Erases a part of the conversations whose last activity was before a time, or counts them. */
  prune(order: PruneOrder): Promise<PrunedPart>
  /** Follows a turn that may have started or ended already: its stored entries after a seq, or all, come first. */
  follow(user: UserId, turn: Turn, after?: number, how?: WatchOptions): Watch
  watch(user: UserId, threadId: string, after: number, how?: WatchOptions): Watch
  /** Follows a user's lists of threads, jobs and gates; changes are given by id. */
  changes(user: UserId): ListChanges
  /** Publishes that everything in a user's lists may have changed, also the user's right to see them. */
  changed(user: UserId): void
  /** Compacts a history: the entries of a thread, and some items after them. */
  compact(user: UserId, history: LongHistory, signal: AbortSignal): Promise<Compacted>
  /** Calls the model once, outside of any turn. Throws spend_limit and the model's faults before any text. */
  callOnce(user: UserId, call: SingleCall, how: CallOptions): Promise<SingleAnswer>
}

export type WatchOptions = {
  /** The reader may pause for as long as it likes: its long pages take no place that others wait for. */
  readonly mayPause?: boolean
}

/** A longer list would be of no use to choose from. */
const maxSenders = 200
/** Entries that a follower reads at once, where another process wrote them. */
const followPage = 500

export type TurnsParts = ModelChecks & {
  readonly store: Store
  readonly bus: Bus
  readonly runner: Runner
  /** Is called for turns that were ended from outside the runner. */
  readonly observer?: Observer
  /** Finds text from outside that looks like an instruction, for receipts. */
  readonly marker?: () => Marker
  /** Spend caps for model calls outside of turns. */
  readonly spend?: Pick<Spend, 'allows'>
  /** Erases the files of a user's workspace and returns their number. */
  readonly eraseFiles?: (user: UserId) => Promise<number>
  /** Loads the skill of a message that begins with `/name`: items that follow the message. */
  readonly loadSkill?: (user: UserId, text: string) => Promise<readonly Item[]>
  /** Masks secrets in input that no person wrote (results, files, events) before it is stored. */
  readonly mask?: UserMask
}

export function createTurns(parts: TurnsParts): Turns {
  const { store, bus, runner, marker = createMarker, mask = (text) => text } = parts
  /** For model calls outside of turns. */
  const aside = { store, model: () => runner.model(), spend: parts.spend, observer: parts.observer }
  const takePlace = createReplayPlaces()
  const watching = ({ mayPause = false }: WatchOptions = {}) => ({
    bus,
    threads: store.threads,
    ...(!mayPause && { takePlace }),
  })
  /** Turns that are being stored and will run here; they count as running. */
  let starting = 0

  function refusal(): AppError | undefined {
    return runner.full(starting) ? overloaded() : undefined
  }

  /** Sends a stop and waits for the turn to end; undefined when it does not in time. */
  async function stopAndWait(user: UserId, turn: Turn, sendStop: () => void): Promise<Turn | undefined> {
    const subscription = bus.subscribe(turn.threadId, { seq: turn.firstSeq ?? 0, turn })
    const timer = setTimeout(() => subscription.close(), cancelGraceMs)
    try {
      sendStop()
      for await (const events of subscription) {
        for (const event of events)
          if (event.type === 'turn' && event.turn.id === turn.id && ended(event.turn.status)) return event.turn
      }
      const now = await store.turns.get(user, turn.id)
      return now && ended(now.status) ? now : undefined
    } finally {
      clearTimeout(timer)
      subscription.close()
    }
  }

  /** Announces that a turn was ended from outside the runner: watchers see it, and the thread's next turn can be claimed. */
  function publishEnd(end: EndedTurn): void {
    if (end.changed) parts.observer?.rested(end.turn)
    publishAndWake(bus, end)
  }

  async function startBy(
    { request, ...given }: StartTurn,
    save: (turn: NewTurn) => Promise<StoredTurn | undefined>,
  ): Promise<Start | undefined> {
    const model = typeof given.model === 'string' ? chosenModel(given.model, parts) : given.model
    // Doors whose callers wait are refused at once, unless they repeat a request; other turns are queued.
    const full = doorOf(given.door).queuesWhenFull ? undefined : refusal()
    if (full && !(given.idempotency && (await store.turns.findByKey(given.user, given.idempotency)))) throw full
    const typed = doorOf(given.door).typed ? slashText(given.input) : undefined
    const loaded = typed === undefined ? undefined : await parts.loadSkill?.(given.user, typed)
    const items = loaded ? [...given.input, ...loaded] : given.input
    const forks = given.forks && (await withPlainTitle(store.threads, given.user, given.forks))
    const drafts = draftsOf(items, (text) => mask(text, given.user))
    // Awaits only where there is something to await: the process may become full meanwhile.
    const input = drafts instanceof Promise ? await drafts : drafts
    // A process that became full meanwhile queues the turn.
    const lease = runner.room(starting)
    const options = input.length > 1 ? { ...given.options, inputs: input.length } : given.options
    const title = given.title ?? titleOf(given.input)
    starting++
    const stored = await save({
      ...given,
      options,
      input,
      title,
      ...(forks && { forks }),
      ...(model !== undefined && { model }),
      ...(lease && { lease }),
    }).finally(() => starting--)
    if (!stored) return undefined
    const { turn, entries, replayed } = stored
    const here = turn.status === 'running' && !replayed
    // For other watchers of the thread; the sender has the message already.
    publishEntries(bus, stored)
    if (turn.status === 'queued' && !replayed) bus.publish(turn.threadId, [{ type: 'turn', turn }])
    const after = entries.at(-1)?.seq ?? 0
    const subscription = bus.subscribe(turn.threadId, { seq: after, turn, here })
    if (!replayed) {
      bus.publishChange(turn, { threadId: turn.threadId, turnId: turn.id })
      if (turn.status === 'running' && lease) runner.take(stored, lease, request)
      else bus.signal({ type: 'queued' })
    }
    const events = followTurn(subscription, {
      turnId: turn.id,
      after,
      read: (seq) => store.threads.entries(turn.userId, turn.threadId, { after: seq, limit: followPage }),
    })
    return { turn, replayed, entries, input, events }
  }

  async function cancel(user: UserId, turnId: string): Promise<Turn> {
    const first = await store.turns.cancel(user, turnId)
    if (first.turn.status === 'running') {
      const stopped = await stopAndWait(user, first.turn, () => bus.signal(cancelSignal(turnId)))
      if (stopped) return stopped
    }
    // A turn that waits may have an open call in the process that runs it.
    else if (first.changed) bus.signal(cancelSignal(turnId))
    const end = first.turn.status === 'running' ? await store.turns.end(user, turnId) : first
    publishEnd(end)
    return end.turn
  }

  return {
    // Reads go to the store; the changes below have rules.
    ...store.turns,
    ...createQueuedMessages({ store, bus, publishEnd, cancel, loadSkill: parts.loadSkill, mask }),
    refusal,
    startBy,
    async start(turn) {
      const started = await startBy(turn, (given) => store.turns.start(given))
      if (!started) throw new Error('the store did not store a turn')
      return started
    },
    cancel,
    async abandon(turn, fault) {
      const { code, message } = fault
      const stop = (): void => bus.signal({ type: 'stop', turnId: turn.id, code, message })
      const stopped = await stopAndWait(turn.userId, turn, stop)
      if (stopped) return stopped
      const end = await store.turns.end(turn.userId, turn.id, { code, message })
      publishEnd(end)
      return end.turn
    },
    receipt: (user, turnId) => readReceipt(store, user, { turnId, marker: marker() }),
    senders: () => store.turns.senders(maxSenders),
    async remove(user, turnId) {
      const removed = await store.turns.remove(user, turnId)
      if (removed) bus.publishChange({ userId: user }, { turnId })
      return removed
    },
    entries: (user, turn) => entriesOf(store, user, turn),
    removeUser: (name) => removeUser({ store, bus, ...(parts.eraseFiles && { eraseFiles: parts.eraseFiles }) }, name),
    prune: (order) => pruneSome({ store, bus }, order),
    follow: (user, turn, after = (turn.firstSeq ?? 1) - 1, how) =>
      watchThread(watching(how), user, turn.threadId, { seq: after, turn }),
    watch: (user, threadId, after, how) => watchThread(watching(how), user, threadId, { seq: after }),
    changes: (user) => bus.subscribeChanges(user),
    changed: (user) => bus.publishChange({ userId: user }, {}),
    compact: (user, history, signal) => compactHistory(aside, user, history, signal),
    callOnce: (user, call, how) => callOnce(aside, user, call, how),
  }
}

/** The text of a message that begins with a slash. */
function slashText([message]: readonly Item[]): string | undefined {
  const [part] = message?.type === 'message' ? message.content : []
  return part?.type === 'text' && part.text.startsWith('/') ? part.text : undefined
}

function overloaded(): AppError {
  const message = 'as many turns run as may: try again in a moment, or raise TURNS_MAX_RUNNING'
  return new AppError('overloaded', message, { retryAfterSecs: fullRetrySecs })
}
