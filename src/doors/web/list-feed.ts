// Changes of a user's threads and open gates, read once and sent to every connection of that user.
import { setTimeout as pause } from 'node:timers/promises'
import type { ListChange } from '#core/bus.ts'
import type { UserId } from '#core/ids.ts'
import { encodeFrame, type EncodedFrame } from '#http/connection.ts'
import type { Log } from '#lib/log.ts'
import { pace } from '#lib/pace.ts'
import { maxGates } from '#turns/gate-answers.ts'
import type { Gates } from '#turns/gates.ts'
import type { Threads } from '#turns/threads.ts'
import type { Frame } from '#doors/web/wire/frame.ts'
import type { Turns } from '#turns/turns.ts'
import { waitingWire } from './gate-routes.ts'
import { threadWire } from './wire.ts'
import { evictOldest } from '#lib/evict.ts'

/** Changes within this time are read as one batch. */
const gatherMs = 50
/** A batch with more changed threads than this is sent as one `reload` frame. */
const maxThreads = 50
/** Recently closed gates to remember, so that a late answer still finds its thread. */
const maxClosed = 1_000

export type Listener = {
  send(frames: readonly EncodedFrame[]): void
  /** Called when anything may have changed, including the listener's right to listen. */
  recheck(): void
}

export interface Feed {
  /** The number of open gates. */
  waiting(): number
  /** The thread of a gate that is open or was closed recently. */
  threadOf(gateId: string): string | undefined
  stop(): void
}

export interface Feeds {
  /** Resolves once the open gates are loaded; from then on the listener gets every change. */
  follow(user: UserId, listener: Listener): Promise<Feed>
}

/** An open gate: its thread, and when it was opened. */
type Known = { readonly threadId: string; readonly at: number }

type Shared = {
  readonly listeners: Set<Listener>
  /** By the id of the gate. */
  readonly open: Map<string, Known>
  /** Gate id -> thread id. */
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
    const [open, closed] = [new Map<string, Known>(), new Map<string, string>()]
    let changes = turns.changes(user)
    let stopped = false

    /** Each frame is encoded once, and each listener gets all of them in one write. */
    async function broadcast(frames: readonly Frame[]): Promise<void> {
      if (frames.length === 0) return
      const encoded = frames.map(encodeFrame)
      for (const listener of listeners) {
        listener.send(encoded)
        await pace()
      }
    }

    /** Reads the open gates. Returns frames for gates opened or closed since the last read. */
    async function readGates(): Promise<Frame[]> {
      const listed = await gates.list(user)
      const now = new Map(listed.map(({ gate, turn, at }) => [gate.callId, { threadId: turn.threadId, at }]))
      const gone = [...open].filter(([id]) => !now.has(id))
      // A call may open a second gate when its first was answered.
      const fresh = listed.filter(({ gate, at }) => open.get(gate.callId)?.at !== at)
      for (const [id, { threadId }] of gone) {
        open.delete(id)
        closed.set(id, threadId)
        evictOldest(closed, maxClosed)
      }
      for (const [id, each] of now) open.set(id, each)
      const waiting = open.size
      // A full list may have dropped gates that are still open, so the client reads it again.
      if (waiting >= maxGates && gone.length + fresh.length > 0) return [{ type: 'reload', waiting }]
      return [
        ...gone.map(
          ([id, { threadId: thread_id }]) => ({ type: 'gate', id, thread_id, closed: true, waiting }) as const,
        ),
        ...fresh.map((gate) => ({ type: 'gate', ...waitingWire(gate, user), waiting }) as const),
      ]
    }

    async function read(batch: readonly ListChange[]): Promise<void> {
      const ids = new Set(batch.flatMap(({ threadId }) => threadId ?? []))
      const all = batch.some(({ threadId, turnId }) => threadId === undefined && turnId === undefined)
      if (all) for (const listener of listeners) listener.recheck()
      if (all || ids.size > maxThreads) {
        await readGates()
        return broadcast([{ type: 'reload', waiting: open.size }])
      }
      const known = new Set([...open.values()].map(({ threadId }) => threadId))
      const frames: Frame[] = []
      let gates = false
      for (const id of ids) {
        const thread = await threads.get(user, id)
        gates ||= known.has(id) || thread?.state === 'waiting'
        if (!thread?.temporary)
          frames.push(thread ? { type: 'thread', ...threadWire(thread) } : { type: 'thread', id, removed: true })
      }
      if (gates) frames.push(...(await readGates()))
      await broadcast(frames)
    }

    async function run(): Promise<void> {
      while (!stopped) {
        try {
          for await (const first of changes) {
            await pause(gatherMs)
            await read(first)
          }
          if (!stopped) return
        } catch (error) {
          // The feed fell too far behind, or the database is unreachable: listeners reload their lists.
          log.warn({ err: error }, 'lost changes of a user’s lists; they are read again')
          await pause(1_000, undefined, { ref: false })
        }
        if (stopped) return
        changes.close()
        changes = turns.changes(user)
        await broadcast([{ type: 'reload', waiting: open.size }])
      }
    }

    const loaded = readGates()
    void run()
    return {
      listeners,
      open,
      closed,
      loaded,
      close() {
        stopped = true
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
        threadOf: (id) => open.get(id)?.threadId ?? closed.get(id),
        stop,
      }
    },
  }
}
