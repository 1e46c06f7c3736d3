// Puts the news of turns that come to rest in this process into the outbox. It runs after the turn, which never waits for
// it, and reads nothing for users without a way. The news of missions is stored with the end of their runs.
import type { Bus } from '#core/bus.ts'
import type { UserId } from '#core/ids.ts'
import type { NewNews } from '#core/notification.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import type { ListedTurn } from '#core/turn-store.ts'
import type { Log } from '#lib/log.ts'
import { dayMs } from '#core/time.ts'
import { readEnd } from '#turns/job-outcome.ts'
import { isAway } from '#turns/store-retry.ts'
import { mayBeNews, newsOfTurn, readerOf } from './events.ts'

/** Gates of one turn, or of one user at a catch-up, that are told of. */
const maxGates = 100
/** Turns that a catch-up looks at, the latest ones, and how long ago they may have ended. */
const maxTurns = 5_000
const maxTurnAgeMs = dayMs
/** A catch-up looks at this much again: the clocks of processes differ. */
const overlapMs = 60_000

export type TellerParts = {
  readonly store: Pick<Store, 'notifications' | 'turns' | 'threads'>
  readonly bus: Pick<Bus, 'signal' | 'onSignal'>
  readonly log: Log
  readonly now?: () => number
}

export interface Teller {
  /** A turn came to rest. Returns at once. */
  rested(turn: Turn): void
  /** News of a user was put into the outbox with what it is about: has it sent. Returns at once. */
  added(user: UserId): void
  /** Tells what a killed process did not. What was told before is not told again. */
  catchUp(): Promise<void>
  /** Resolves once nothing is being put into the outbox. */
  close(): Promise<void>
}

export function createTeller({ store, bus, log, now = Date.now }: TellerParts): Teller {
  const { notifications } = store
  let users: Promise<ReadonlySet<UserId>> | undefined
  const working = new Set<Promise<void>>()
  let caughtUpTo = -Infinity
  bus.onSignal((signal) => {
    if (signal.type === 'notifications' && signal.what === 'ways') users = undefined
  })

  function usersWithWays(): Promise<ReadonlySet<UserId>> {
    users ??= notifications.usersWithWays().then(
      (found) => new Set(found),
      (error: unknown) => {
        users = undefined
        throw error
      },
    )
    return users
  }

  async function put(user: UserId, all: readonly NewNews[]): Promise<void> {
    let added = 0
    for (const news of all) added += await notifications.enqueue(user, news)
    if (added > 0) bus.signal({ type: 'notifications', what: 'outbox' })
  }

  /** The news of a turn for its reader, whose rows it is read under. */
  async function newsOf(user: UserId, turn: ListedTurn): Promise<NewNews[]> {
    const thread = await store.threads.get(user, turn.threadId)
    if (!thread) return []
    const waits = turn.status === 'waiting'
    const open = waits ? await store.turns.openGates(user, { threadId: turn.threadId, limit: maxGates }) : []
    const calls = open.filter((each) => each.turn.id === turn.id).map(({ gate }) => gate.callId)
    const { temporary = false } = thread
    return newsOfTurn(turn, { temporary, endsOpen: await endsWithOpenCall(user, turn.id) }, calls)
  }

  /** True for a turn that ended with a call for its client, also after the client has answered. */
  async function endsWithOpenCall(user: UserId, turnId: string): Promise<boolean> {
    const turn = await store.turns.get(user, turnId)
    const last = turn && (await readEnd(store.threads, turn)).at(-1)?.item
    return last?.type === 'gate' && last.kind === 'output'
  }

  /** Does a part of a catch-up. One that fails for a reason of its own keeps back no other. */
  async function attempt(user: UserId, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (isAway(error)) throw error
      log.error({ user, err: error }, 'could not catch up with the news of a user')
    }
  }

  async function putGates(user: UserId): Promise<void> {
    const open = await store.turns.openGates(user, { limit: maxGates })
    for (const { turn, gate, at } of open) {
      if (readerOf(turn) !== user) continue
      const news = newsOfTurn({ ...turn, status: 'waiting' }, {}, [gate.callId])
      await put(user, atTime(news, at))
    }
  }

  function inBackground(work: () => Promise<void>): void {
    const job = work()
      .catch((error: unknown) => log.error({ err: error }, 'could not put a notification into the outbox'))
      .finally(() => working.delete(job))
    working.add(job)
  }

  return {
    rested(turn) {
      if (!mayBeNews(turn)) return
      const user = readerOf(turn)
      inBackground(async () => {
        if ((await usersWithWays()).has(user)) await put(user, await newsOf(user, turn))
      })
    },
    added(user) {
      inBackground(async () => {
        if ((await usersWithWays()).has(user)) bus.signal({ type: 'notifications', what: 'outbox' })
      })
    },
    async catchUp() {
      const [users, began] = [await usersWithWays(), now()]
      for (const user of users) await attempt(user, () => putGates(user))
      const since = Math.max(began - maxTurnAgeMs, caughtUpTo - overlapMs)
      for (const turn of await store.turns.endedAsNews(since, maxTurns)) {
        const user = readerOf(turn)
        if (!users.has(user)) continue
        await attempt(user, async () => put(user, atTime(await newsOf(user, turn), turn.endedAt ?? began)))
      }
      caughtUpTo = began
    },
    async close() {
      await Promise.all(working)
    },
  }
}

function atTime(news: readonly NewNews[], at: number): NewNews[] {
  return news.map((each) => ({ ...each, at }))
}
