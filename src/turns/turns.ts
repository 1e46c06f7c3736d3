// Turns for doors: start, cancel, read, watch. Doors translate; the rules are here.
import type { Erased } from '#core/account.ts'
import type { Bus, ListChanges, Signal } from '#core/bus.ts'
import { doorOf } from '#core/doors.ts'
import { AppError } from '#core/errors.ts'
import { newId, type UserId } from '#core/ids.ts'
import type { Draft, Entry, Item } from '#core/item.ts'
import type { EndedTurn, NewTurn, Store, TurnStore } from '#core/store.ts'
import { ended, type Turn } from '#core/turn.ts'
import { type Compacted, compactHistory, type LongHistory } from './compaction-request.ts'
import { createMarker, type Marker } from '#safety/marks.ts'
import { entriesOf } from './turn-entries.ts'
import { masked, titleOf } from './message.ts'
import { readReceipt, type Receipt } from './receipt.ts'
import { removeUser } from './user-removal.ts'
import type { Runner } from './runner.ts'
import type { Observer } from './turn-metrics.ts'
import type { Spend } from './spend.ts'
import { tellFree } from './announce.ts'
import { type Follow, followTurn, type Watch, watchThread } from './watch.ts'

/** How long a cancel waits for the runner to stop by itself, its partial text stored, before the turn is taken from it. */
const cancelGraceMs = 700
/** When to come back while every place is taken: turns end all the time. */
const fullRetrySecs = 2

export type StartTurn = Omit<NewTurn, 'lease' | 'input' | 'title'> & {
  readonly input: readonly Item[]
  /** The id of the request that brings it: the log names it where the turn ends. */
  readonly request?: string
}

export type Start = {
  readonly turn: Turn
  readonly replayed: boolean
  /** What the start appended: the turn's own input, once it runs. */
  readonly entries: readonly Entry[]
  /** The input with the ids it has, or will have, in the thread; on a replay nothing of it was stored. */
  readonly input: readonly Draft[]
  /** The turn's events up to its rest (completed, failed, cancelled or waiting), none missing. Unread, it must be closed. */
  readonly events: Follow
}

type Reading = Pick<TurnStore, 'findByKey' | 'get' | 'holding' | 'findByDoor' | 'list' | 'countAll' | 'count'>

export interface Turns extends Reading {
  /** Stores the turn; once this resolves it will not be lost. */
  start(given: StartTurn): Promise<Start>
  /** Ends a turn, or frees a thread that waits for its caller. Idempotent. */
  cancel(user: UserId, turnId: string): Promise<Turn>
  /** Stops a turn that a door does not want to wait for any longer; it fails with the fault's code. */
  abandon(turn: Turn, fault: AppError): Promise<Turn>
  remove(user: UserId, turnId: string): Promise<boolean>
  /** What a turn did, read from its log, and whether that is still what it was. */
  receipt(user: UserId, turnId: string): Promise<Receipt | undefined>
  /** The turn's items, in order, as far as one answer can hold them. */
  entries(user: UserId, turn: Omit<Turn, 'options'>): Promise<Entry[]>
  /** Senders without an account, whose turns the operator reaches. */
  senders(): Promise<readonly UserId[]>
  /** Ends what runs for a user and erases all that is theirs; undefined when nobody has this name. */
  removeUser(name: string): Promise<Erased | undefined>
  /** Follows a turn that may have begun, or ended, already: what is stored after a seq, or all of it, comes first. */
  follow(user: UserId, turn: Turn, after?: number): Watch
  watch(user: UserId, threadId: string, after: number): Watch
  /** Follows a user's lists of threads, jobs and gates: what changed is told by its ids. */
  changes(user: UserId): ListChanges
  /** Tells whoever follows a user's lists that all of it may have changed, the user's right to see it too. */
  changed(user: UserId): void
  /** Makes a history small: what is stored of a thread, and some items behind it. */
  compact(user: UserId, history: LongHistory, signal: AbortSignal): Promise<Compacted>
}

/** Nobody chooses from a longer list. */
const maxSenders = 200

export type TurnsParts = {
  readonly store: Store
  readonly bus: Bus
  readonly runner: Runner
  /** Told of turns that are ended from outside. */
  readonly observer?: Observer
  /** Finds what looks like an instruction in outside text, for receipts. */
  readonly marker?: () => Marker
  /** Caps on what is asked outside of turns. */
  readonly spend?: Pick<Spend, 'allows'>
  /** Erases the files of a user's workspace, and tells how many. */
  readonly eraseFiles?: (user: UserId) => Promise<number>
  /** Takes secrets out of what callers' functions gave, before it is stored. */
  readonly mask?: (text: string, user: UserId) => string
}

export function createTurns(parts: TurnsParts): Turns {
  const { store, bus, runner, marker = createMarker, mask } = parts
  /** Turns that are being stored and will run here: each has its place already. */
  let starting = 0

  async function settled(user: UserId, turn: Turn, withinMs: number, kick: () => void): Promise<Turn | undefined> {
    const subscription = bus.subscribe(turn.threadId, { seq: turn.firstSeq ?? 0, turn })
    const timer = setTimeout(() => subscription.close(), withinMs)
    try {
      kick()
      for await (const events of followTurn(subscription, turn.id, 0)) {
        for (const event of events) if (event.type === 'turn' && ended(event.turn.status)) return event.turn
      }
      const now = await store.turns.get(user, turn.id)
      return now && ended(now.status) ? now : undefined
    } finally {
      clearTimeout(timer)
    }
  }

  /** A turn was ended from outside: its watchers see it, and its thread is free for the next. */
  function tellEnd(end: EndedTurn): void {
    if (end.changed) parts.observer?.rested(end.turn)
    tellFree(bus, end)
  }

  return {
    // Reading is the store's own; what a door may change has rules, below.
    ...store.turns,
    async start({ request, ...given }) {
      // What a caller waits for is refused at once; where nobody waits, it queues for a place.
      if (!doorOf(given.door).queuesWhenFull && runner.full(starting)) throw overloaded()
      const lease = runner.room(starting)
      const clean = (text: string): string => mask?.(text, given.user) ?? text
      const input: Draft[] = given.input.map((item) => ({ id: newId(), item: masked(item, clean) }))
      const options = input.length > 1 ? { ...given.options, inputs: input.length } : given.options
      const title = titleOf(given.input)
      starting++
      const stored = await store.turns
        .start({ ...given, options, input, title, ...(lease && { lease }) })
        .finally(() => starting--)
      const { turn, entries, replayed } = stored
      const here = turn.status === 'running' && !replayed
      // Others who watch the thread see the message; whoever sent it has it already.
      if (entries.length > 0) bus.publish(turn.threadId, [{ type: 'entries', entries }])
      const told = entries.at(-1)?.seq ?? 0
      const subscription = bus.subscribe(turn.threadId, { seq: told, turn, here })
      if (!replayed) {
        bus.publishChange(turn, { threadId: turn.threadId, turnId: turn.id })
        if (turn.status === 'running' && lease) runner.take(stored, lease, request)
        else bus.signal({ type: 'queued' })
      }
      return { turn, replayed, entries, input, events: followTurn(subscription, turn.id, told) }
    },
    async cancel(user, turnId) {
      const first = await store.turns.cancel(user, turnId)
      if (first.turn.status === 'running') {
        const stopped = await settled(user, first.turn, cancelGraceMs, () => bus.signal(cancelSignal(turnId)))
        if (stopped) return stopped
      }
      const end = first.turn.status === 'running' ? await store.turns.end(user, turnId) : first
      tellEnd(end)
      return end.turn
    },
    async abandon(turn, fault) {
      const { code, message } = fault
      const stop = (): void => bus.signal({ type: 'stop', turnId: turn.id, code, message })
      const stopped = await settled(turn.userId, turn, cancelGraceMs, stop)
      if (stopped) return stopped
      const end = await store.turns.end(turn.userId, turn.id, { code, message })
      tellEnd(end)
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
    follow: (user, turn, after = (turn.firstSeq ?? 1) - 1) =>
      watchThread({ bus, threads: store.threads }, user, turn.threadId, { seq: after, turn }),
    watch: (user, threadId, after) => watchThread({ bus, threads: store.threads }, user, threadId, { seq: after }),
    changes: (user) => bus.subscribeChanges(user),
    changed: (user) => bus.publishChange({ userId: user }, {}),
    compact: (user, history, signal) =>
      compactHistory({ store, model: () => runner.model(), spend: parts.spend }, user, history, signal),
  }
}

function overloaded(): AppError {
  const message = 'as many turns run as may: try again in a moment, or raise TURNS_MAX_RUNNING'
  return new AppError('overloaded', message, { retryAfterSecs: fullRetrySecs })
}

function cancelSignal(turnId: string): Signal {
  return { type: 'stop', turnId, code: 'turn_cancelled', message: 'cancelled' }
}
