// Three processes over one database, whose buses are linked in this process, for tests of what passes between them.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Bus, ListChange, ListChanges, Subscription, WatchStart } from '#core/bus.ts'
import type { Event } from '#core/event.ts'
import type { Turn } from '#core/turn.ts'
import { logTo } from '#lib/log.ts'
import { createSeal } from '#lib/seal.ts'
import type { Message } from '#store/bus-message.ts'
import { createLinkedBus } from '#store/bus-postgres.ts'
import type { LinkHandlers } from '#store/notify-postgres.ts'
import { composeStore } from '#store/open-store.ts'
import { ada, lease, reply, step, turnOf } from './harness.ts'
import { openMemorySqlite } from './memory-store.ts'

export const announceMs = 4_000
export const flushMs = 100

/**
 * Three processes over one database. What one sends reaches all, itself included, when it is carried; while the line is
 * lost it reaches nobody.
 */
export async function openThree(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.now() })
  t.mock.method(performance, 'now', () => Date.now())
  const sql = openMemorySqlite()
  const store = composeStore(sql, {
    seal: createSeal('0'.repeat(64)),
    now: () => Date.now(),
    check: () => Promise.resolve([]),
    prepareVectors: () => Promise.resolve(undefined),
  })
  const links: LinkHandlers[] = []
  const sent: Message[] = []
  const wire: object[] = []
  const line = { lost: false, closed: 0 }
  const warnings: string[] = []
  const log = logTo((_, __, message) => warnings.push(message), 'warn')
  const open = (handlers: LinkHandlers) => {
    links.push(handlers)
    const send = (message: object): void => {
      const { from: _, ...rest } = message as Message & { from: string }
      sent.push(rest)
      if (!line.lost) wire.push(message)
    }
    return Promise.resolve({ send, close: () => Promise.resolve(void line.closed++) })
  }
  const [here, there, elsewhere] = [
    await createLinkedBus({ sql, log, open }),
    await createLinkedBus({ sql, log, open }),
    await createLinkedBus({ sql, log, open }),
  ]
  t.after(async () => {
    for (const bus of [here, there, elsewhere]) await bus.close()
    await store.close()
    assert.deepEqual(warnings, [], 'no message was taken for another')
  })
  const { turn } = await store.turns.start(turnOf())
  const carry = (): void => {
    for (let message = wire.shift(); message; message = wire.shift()) {
      for (const { onMessage } of links) onMessage(structuredClone(message))
    }
  }
  const pass = (ms: number): void => {
    t.mock.timers.tick(ms)
    carry()
  }
  const watch = (bus: Bus, from: WatchStart): Event[] => {
    const events = hear<Event>(bus.subscribe(turn.threadId, from))
    carry()
    return events
  }
  const follow = (bus: Bus): ListChange[] => {
    const changes = hear<ListChange>(bus.subscribeChanges(ada))
    carry()
    return changes
  }
  /** What was sent since the last call, by its type. */
  const taken = (): string[] => sent.splice(0).map(({ type }) => type)
  return { here, there, elsewhere, store, turn, links, line, taken, carry, pass, watch, follow }
}

type Three = Awaited<ReturnType<typeof openThree>>

/** What a subscription brings, as it comes. */
export function hear<T>(subscription: Subscription | ListChanges): T[] {
  const events: T[] = []
  void (async () => {
    for await (const batch of subscription) events.push(...(batch as readonly T[]))
  })()
  return events
}

export function textIn(events: readonly Event[]): string {
  return events.map((event) => (event.type === 'delta' ? event.text : '')).join('')
}

export function say(bus: Bus, { threadId, id: turnId }: Turn, offset: number, text: string, itemId = 'i'): void {
  bus.publish(threadId, [{ type: 'delta', turnId, itemId, offset, text }])
}

export async function end({ here, store, turn }: Three, text = 'said'): Promise<void> {
  const recorded = await store.turns.record(turn, lease, step([reply(text)], { status: 'completed' }))
  here.publish(turn.threadId, [
    { type: 'entries', entries: recorded.entries },
    { type: 'turn', turn: recorded.turn },
  ])
}

/** The types of what was heard, and the status of each turn. */
export function kinds(events: readonly Event[]): string[] {
  return events.map((event) => (event.type === 'turn' ? event.turn.status : event.type))
}

/** Lets reads that are under way come to their end. */
export async function settled({ store, turn }: Three): Promise<void> {
  for (let at = 0; at < 20; at++) await store.turns.get(ada, turn.id)
}
