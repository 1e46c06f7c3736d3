// What changes in a user's lists, for every connection of that user at once: threads, and what waits for a word.
import { setTimeout as pause } from 'node:timers/promises'
import type { ListChange } from '#core/bus.ts'
import type { UserId } from '#core/ids.ts'
import type { Log } from '#lib/log.ts'
import { maxGates } from '#turns/gate-answers.ts'
import type { Gates } from '#turns/gates.ts'
import type { Threads } from '#turns/threads.ts'
import type { Frame } from '#doors/web/wire/frame.ts'
import type { Turns } from '#turns/turns.ts'
import { waitingWire } from './gate-routes.ts'
import { threadWire } from './wire.ts'
import { evictOldest } from '#lib/evict.ts'

/** Changes within this time are read together. */
const gatherMs = 50
/** More changed threads than this at once are told as "read your lists again". */
const maxThreads = 50
/** Gates that were closed lately, so that a late answer is told so. */
const maxClosed = 1_000

export type Listener = {
  send(frames: readonly Frame[]): void
  /** All may have changed, the right to see it too. */
  recheck(): void
}

export interface Feed {
  /** How much waits for a word. */
  waiting(): number
  /** The thread of a gate that waits, or that did lately. */
  threadOf(gateId: string): string | undefined
  stop(): void
}

export interface Feeds {
  /** Resolves once what waits is known; from then on the listener is told of every change. */
  follow(user: UserId, listener: Listener): Promise<Feed>
}

type Shared = {
  readonly listeners: Set<Listener>
  /** Gate id -> thread id. */
  readonly open: Map<string, string>
  readonly closed: Map<string, string>
  readonly loaded: Promise<unknown>
  close(): void
}

export type FeedParts = {
  readonly turns: Pick<Turns, 'changes'>
  readonly threads: Pick<Threads, 'get'>
  readonly gates: Pick<Gates, 'list'>
  readonly log: Log
}

export function createFeeds({ turns, threads, gates, log }: FeedParts): Feeds {
  const feeds = new Map<UserId, Shared>()

  function begin(user: UserId): Shared {
    const listeners = new Set<Listener>()
    const [open, closed] = [new Map<string, string>(), new Map<string, string>()]
    let changes = turns.changes(user)
    let over = false

    function tell(frames: readonly Frame[]): void {
      if (frames.length > 0) for (const listener of listeners) listener.send(frames)
    }

    /** Gates that were opened or closed since the last look, as frames. */
    async function lookAtGates(): Promise<Frame[]> {
      const listed = await gates.list(user)
      const now = new Map(listed.map(({ gate, turn }) => [gate.callId, turn.threadId]))
      const gone = [...open].filter(([id]) => !now.has(id))
      const fresh = listed.filter(({ gate }) => !open.has(gate.callId))
      for (const [id, threadId] of gone) {
        open.delete(id)
        closed.set(id, threadId)
        evictOldest(closed, maxClosed)
      }
      for (const [id, threadId] of now) open.set(id, threadId)
      const waiting = open.size
      // Of a list that is full nobody knows what was pushed out of it: it is read again.
      if (waiting >= maxGates && gone.length + fresh.length > 0) return [{ type: 'reload', waiting }]
      return [
        ...gone.map(([id, thread_id]) => ({ type: 'gate', id, thread_id, closed: true, waiting }) as const),
        ...fresh.map((gate) => ({ type: 'gate', ...waitingWire(gate, user), waiting }) as const),
      ]
    }

    async function read(batch: readonly ListChange[]): Promise<void> {
      const ids = new Set(batch.flatMap(({ threadId }) => threadId ?? []))
      const all = batch.some(({ threadId, turnId }) => threadId === undefined && turnId === undefined)
      if (all) for (const listener of listeners) listener.recheck()
      if (all || ids.size > maxThreads) {
        await lookAtGates()
        return tell([{ type: 'reload', waiting: open.size }])
      }
      const known = new Set(open.values())
      let gates = false
      for (const id of ids) {
        const thread = await threads.get(user, id)
        gates ||= known.has(id) || thread?.state === 'waiting'
        tell([thread ? { type: 'thread', ...threadWire(thread) } : { type: 'thread', id, removed: true }])
      }
      if (gates) tell(await lookAtGates())
    }

    async function run(): Promise<void> {
      while (!over) {
        try {
          for await (const first of changes) {
            await pause(gatherMs)
            await read(first)
          }
          if (!over) return
        } catch (error) {
          // Too far behind, or the database is away: whoever listens reads the lists again.
          log.warn({ err: error }, 'the changes of a user were lost for a moment')
          await pause(1_000, undefined, { ref: false })
        }
        if (over) return
        changes.close()
        changes = turns.changes(user)
        tell([{ type: 'reload', waiting: open.size }])
      }
    }

    const loaded = lookAtGates()
    void run()
    return {
      listeners,
      open,
      closed,
      loaded,
      close() {
        over = true
        changes.close()
        feeds.delete(user)
      },
    }
  }

  return {
    async follow(user, listener) {
      let shared = feeds.get(user)
      if (!shared) {
        shared = begin(user)
        feeds.set(user, shared)
      }
      const own = shared
      const { listeners, open, closed, loaded } = own
      listeners.add(listener)
      const stop = (): void => {
        listeners.delete(listener)
        if (listeners.size === 0) own.close()
      }
      try {
        await loaded
      } catch (error) {
        stop()
        throw error
      }
      return {
        waiting: () => open.size,
        threadOf: (id) => open.get(id) ?? closed.get(id),
        stop,
      }
    },
  }
}
