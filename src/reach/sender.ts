// Sends what is due in the outbox. One of all processes has this duty; the ways are served side by side, the messages of
// one way one after the other.
import { setImmediate as pass } from 'node:timers/promises'
import type { Bus } from '#core/bus.ts'
import type { UserId } from '#core/ids.ts'
import type { LeftOut, NotificationWay, OutboxEntry, OutboxSettlement } from '#core/notification.ts'
import type { Store } from '#core/store.ts'
import { within } from '#lib/deadline.ts'
import type { Log } from '#lib/log.ts'
import { createLookLoop } from '#lib/look-loop.ts'
import { pace } from '#lib/pace.ts'
import { dayMs, hourMs, maxSkewMs } from '#core/time.ts'
import { countEvents, isSummarized, maxAgeMs, nextTry, retryMs } from './batch.ts'
import { quietUntil } from './quiet.ts'
import { readNews, type ReadNewsParts } from './read-news.ts'
import type { Message, News, Outcome, SendBy, Ways } from './way.ts'

/** Entries that are read to find ways, and those of one way, which may become one message. */
const maxDue = 500
const maxDueOnWay = 5_000
/** Ways that are served at once: in all, and of one user, whose servers may be slow. */
const maxWaysAtOnce = 16
const maxWaysOfUser = 4
/** The duty is taken anew at every look. */
const dutyMs = 60_000
/** Between two looks, while something is being sent or another process has the duty. */
const lookMs = 5_000
const maxWaitMs = 60_000
/** Before another try after a fault, such as a database that is away. */
const faultMs = 5_000
/** Grace period for messages on their way at shutdown; then they are cut off, and may have arrived. */
const closeMs = 5_000
/** How long settled entries are kept, and between two looks for older ones. */
const keptMs = 30 * maxAgeMs
const pruneMs = hourMs
/** Nothing is put off, and no way paused, for longer: quiet hours, or the pause that another side asks for. */
const maxPutOffMs = dayMs + 3 * hourMs
/** Between two catch-ups with news that a killed process did not put into the outbox. */
const catchUpMs = 600_000

export type SenderParts = ReadNewsParts & {
  readonly store: ReadNewsParts['store'] & Pick<Store, 'notifications' | 'leases' | 'backend'>
  /** The name of this process. */
  readonly owner: string
  readonly ways: Ways
  readonly bus: Pick<Bus, 'publishChange' | 'onSignal'>
  /** Puts news into the outbox that a killed process did not. */
  readonly catchUp: () => Promise<void>
  readonly log: Log
  readonly now?: () => number
  /** For the time between two rounds of a chore: a clock that is never set. */
  readonly clock?: () => number
}

export interface Sender {
  start(): void
  /** Looks again soon. */
  wake(): void
  close(): Promise<void>
}

export function startSender(parts: SenderParts): Sender {
  const { store, owner, bus, log, now = Date.now, clock = () => performance.now() } = parts
  const { notifications } = store
  const ending = new AbortController()
  const serving = new Map<string, { readonly user: UserId; readonly work: Promise<void> }>()
  /** Entries from before their claim until their outcome is stored, or could not be. */
  const sending = new Set<string>()
  let closed = false
  let prunedAt: number | undefined
  let caughtUpAt: number | undefined
  let lastLook: number | undefined

  const loop = createLookLoop({
    look,
    onFault(error) {
      log.error({ err: error }, 'could not look after notifications; trying again')
      return faultMs
    },
  })

  /** Serves what is due. Returns the time until the next look. */
  async function look(): Promise<number | undefined> {
    const ours = await takeDuty()
    if (ours) await serve()
    const next = await notifications.nextDue()
    if (next !== undefined) return ours && next > now() ? Math.min(next - now() + 1, maxWaitMs) : lookMs
    // On SQLite nobody else puts anything into the outbox. A signal from another process may be lost.
    return store.backend === 'postgres' ? maxWaitMs : undefined
  }

  const takeDuty = (): Promise<boolean> => store.leases.takeDuty('notifications', owner, dutyMs)

  async function serve(): Promise<void> {
    const left = await notifications.recoverSending(owner, (id) => sending.has(id))
    if (left > 0) log.warn({ entries: left }, 'notifications may have been sent or not; they are sent once more')
    await takeBack()
    // Either may take longer than the duty holds: another process may send by then.
    if ((await catchUpAndPrune()) && !(await takeDuty())) return
    // Each round begins to serve a way, or finds nothing. What is due on ways that are being served hides nothing.
    for (let round = 0; round < maxWaysAtOnce; round++) {
      if (closed || serving.size >= maxWaysAtOnce) return
      const due = await notifications.due(now(), maxDue, busy())
      if (due.length === 0) return
      for (const { wayId, userId } of due) beginToServe(wayId, userId)
    }
  }

  /** A clock that was ahead and went back: what was put off meanwhile would wait until that time comes. */
  async function takeBack(): Promise<void> {
    const at = now()
    if (lastLook === undefined) await notifications.takeBack(at, maxPutOffMs)
    else if (at < lastLook - maxSkewMs) await notifications.takeBack(at, 0)
    lastLook = at
  }

  /** False if neither was to be done yet. */
  async function catchUpAndPrune(): Promise<boolean> {
    const catchesUp = caughtUpAt === undefined || clock() - caughtUpAt > catchUpMs
    if (catchesUp) {
      caughtUpAt = clock()
      await parts.catchUp()
    }
    const prunes = prunedAt === undefined || clock() - prunedAt > pruneMs
    if (prunes) {
      prunedAt = clock()
      while ((await notifications.prune(now() - keptMs)) > 0) await pass()
    }
    return catchesUp || prunes
  }

  /** The ways that are being served, and the users of whom no other way is served now. */
  function busy(): LeftOut {
    const byUser = Map.groupBy(serving.values(), ({ user }) => user)
    const users = [...byUser].filter(([, ways]) => ways.length >= maxWaysOfUser).map(([user]) => user)
    return { ways: [...serving.keys()], users }
  }

  function beginToServe(wayId: string, user: UserId): void {
    const { ways, users } = busy()
    if (closed || ways.length >= maxWaysAtOnce) return
    if (ways.includes(wayId) || users.includes(user)) return
    const work = serveWay(wayId)
      .catch((error: unknown) => log.error({ way: wayId, err: error }, 'could not read or put off notifications'))
      .finally(() => {
        serving.delete(wayId)
        loop.wake()
      })
    serving.set(wayId, { user, work })
  }

  async function serveWay(wayId: string): Promise<void> {
    const all = await notifications.dueOn(wayId, now(), maxDueOnWay)
    try {
      await serveEntries(wayId, all)
    } catch (error) {
      log.error({ way: wayId, err: error }, 'could not send a notification')
      // A way that always fails neither fills every look nor hides others.
      await notifications.putOff(idsOf(all), now() + faultMs, false)
    }
  }

  async function serveEntries(wayId: string, all: readonly OutboxEntry[]): Promise<void> {
    const way = await notifications.way(wayId)
    if (!way) return notifications.drop(all.map(({ id }) => id))
    const [old, young] = split(all, ({ createdAt }) => now() - createdAt > maxAgeMs)
    if (old.length > 0) await notifications.fail(idsOf(old), 'it was older than a day')
    const { pausedUntil = 0 } = way
    if (pausedUntil > now()) return notifications.putOff(idsOf(young), pausedUntil, false)
    const until = quietUntil(await notifications.quiet(way.userId), now())
    if (until !== undefined) return notifications.putOff(idsOf(young), until, true)
    const news = new Map<string, News>()
    for (const entry of young) {
      await pace()
      if (closed) return
      const read = await readNews(parts, entry, way)
      if (read) news.set(entry.id, read)
    }
    const [current, past] = split(young, ({ id }) => news.has(id))
    if (past.length > 0) await notifications.drop(idsOf(past))
    if (isSummarized(current)) {
      await send(way, current, { type: 'summary', counts: countEvents(current) })
      return
    }
    for (const entry of current) {
      const message = news.get(entry.id)
      if (closed || !message || !(await send(way, [entry], { type: 'news', news: message }))) return
    }
  }

  /** False if the way should be left alone for now. */
  async function send(way: NotificationWay, entries: readonly OutboxEntry[], message: Message): Promise<boolean> {
    for (const { id } of entries) sending.add(id)
    try {
      return await sendClaimed(way, entries, message)
    } finally {
      for (const { id } of entries) sending.delete(id)
    }
  }

  async function sendClaimed(
    way: NotificationWay,
    entries: readonly OutboxEntry[],
    message: Message,
  ): Promise<boolean> {
    const claimed = new Set(await notifications.claim(idsOf(entries), owner))
    const tried = entries.filter(({ id }) => claimed.has(id)).map((entry) => ({ ...entry, tries: entry.tries + 1 }))
    if (tried.length === 0) return true
    const outcome = await sendBy(parts.ways, way, message, ending.signal)
    const fields = { way: way.id, kind: way.kind, outcome: outcome.type, entries: tried.length }
    if (outcome.type === 'sent') log.debug(fields, 'sent a notification')
    else log.warn({ ...fields, why: outcome.why }, 'a notification was not sent')
    await record(way, tried, outcome)
    return outcome.type === 'sent' || outcome.type === 'refused'
  }

  async function record(way: NotificationWay, tried: readonly OutboxEntry[], outcome: Outcome): Promise<void> {
    const settle = (entries: readonly OutboxEntry[], settlement: OutboxSettlement): Promise<void> =>
      notifications.settle(idsOf(entries), owner, settlement)
    switch (outcome.type) {
      case 'sent':
        return settle(tried, { state: 'sent' })
      case 'refused':
        return settle(tried, { state: 'failed', error: outcome.why })
      case 'gone':
        await notifications.removeGone(way.id, outcome.why)
        return bus.publishChange({ userId: way.userId }, {})
      case 'unknown': {
        const at = now() + retryMs(1)
        return settle(tried, { state: 'unknown', at, error: outcome.why })
      }
      case 'later': {
        const at = now()
        const error = outcome.why
        for (const [next, entries] of Map.groupBy(tried, (entry) => nextTry(entry, outcome, at)))
          await settle(entries, next === undefined ? { state: 'failed', error } : { state: 'due', at: next, error })
        const pause = Math.max(outcome.retryAfterMs ?? 0, retryMs(Math.min(...tried.map(({ tries }) => tries))))
        return notifications.pauseWay(way.id, at + pause)
      }
      default:
        return outcome satisfies never
    }
  }

  let started = false
  bus.onSignal((signal) => {
    if (signal.type === 'notifications' && started) loop.wake()
  })
  return {
    start() {
      started = true
      loop.wake()
    },
    wake: loop.wake,
    async close() {
      closed = true
      await loop.stop()
      const all = (): Promise<unknown> => Promise.all([...serving.values()].map(({ work }) => work))
      await within(closeMs, all(), () => {})
      ending.abort()
      await all()
      await store.leases.leaveDuty('notifications', owner).catch(() => {})
    },
  }
}

/** Sends one message by the way's kind. A way that throws has a bug: the message may have arrived. */
export async function sendBy(
  ways: Ways,
  way: NotificationWay,
  message: Message,
  signal: AbortSignal,
): Promise<Outcome> {
  if (way.target === '') return { type: 'gone', why: 'it was sealed under a key that is gone: add it again' }
  const open: (() => Promise<SendBy>) | undefined = ways[way.kind]
  if (!open) return { type: 'later', why: `${way.kind} is not connected` }
  try {
    return await (await open())(way, message, signal)
  } catch (error) {
    return { type: 'unknown', why: error instanceof Error ? error.name : 'unknown' }
  }
}

function idsOf(entries: readonly OutboxEntry[]): string[] {
  return entries.map(({ id }) => id)
}

function split<T>(all: readonly T[], first: (each: T) => boolean): [T[], T[]] {
  return [all.filter(first), all.filter((each) => !first(each))]
}
