// Notifications over a real store and real turns; only the time and the ways are scripted.
import type { TestContext } from 'node:test'
import type { NewsEvent, NewWay, NotificationWay } from '#core/notification.ts'
import type { Turn } from '#core/turn.ts'
import { type Sender, startSender } from '#reach/sender.ts'
import { createTeller, type Teller } from '#reach/tell.ts'
import type { Message, Outcome } from '#reach/way.ts'
import { type Log, silentLog } from '#lib/log.ts'
import { openTestStore } from '../agent/bench.ts'
import { ada } from '../store/harness.ts'
import { topic } from '../store/ntfy-topic.ts'
import { type House, type HouseParts, openHouse, turnOver, until } from '../turns/house.ts'

export type Sent = { readonly way: NotificationWay; readonly message: Message }

export type ReachHouse = House & {
  readonly sent: Sent[]
  readonly teller: Teller
  readonly sender: Sender
  /** What the next messages come to; `sent` when nothing is given. */
  readonly outcomes: (Outcome | ((signal: AbortSignal) => Promise<Outcome>))[]
  readonly clock: { now: number }
  addWay(over?: Partial<NewWay>): Promise<NotificationWay>
  /** Puts news of a mission's end into the outbox: the simplest that there is. */
  put(subject: string, event?: NewsEvent): Promise<void>
  /** Moves the time, and lets the sender look until nothing is due. */
  pass(ms: number): Promise<void>
  states(): Promise<string[]>
}

export function openReachHouse(t: TestContext, parts: HouseParts & { log?: Log; idle?: true } = {}): ReachHouse {
  const clock = { now: Date.parse('2026-11-16T12:00:00Z') }
  const store = openTestStore(t, () => clock.now)
  const rested = (turn: Turn): void => teller.rested(turn)
  const house = openHouse(t, { ...parts, store, observer: { stepped: () => {}, rested } })
  const { bus } = house
  const log = parts.log ?? silentLog
  const teller = createTeller({ store, bus, log, now: () => clock.now })
  const sent: Sent[] = []
  const outcomes: ReachHouse['outcomes'] = []
  const sendBy = async (way: NotificationWay, message: Message, signal: AbortSignal): Promise<Outcome> => {
    sent.push({ way, message })
    const next = outcomes.shift() ?? { type: 'sent' }
    return typeof next === 'function' ? next(signal) : next
  }
  const ways = { ntfy: () => Promise.resolve(sendBy), push: () => Promise.resolve(sendBy) }
  const mask = (text: string): string => text.replaceAll('hunter2', '***')
  const now = (): number => clock.now
  const catchUp = () => teller.catchUp()
  const sender = startSender({ store, owner: 'here', ways, bus, mask, catchUp, log, now, clock: now })
  t.after(async () => {
    await teller.close()
    await sender.close()
  })
  if (!parts.idle) sender.start()
  const { notifications } = store
  return {
    ...house,
    sent,
    teller,
    sender,
    outcomes,
    clock,
    async addWay(over = {}) {
      const way = await notifications.addWay(ada, { ...topic, ...over }, 20)
      bus.signal({ type: 'notifications', what: 'ways' })
      return way
    },
    async put(subject, event = 'finished') {
      await notifications.enqueue(ada, { event, subject })
      bus.signal({ type: 'notifications', what: 'outbox' })
    },
    async pass(ms) {
      clock.now += ms
      sender.wake()
      await until(async () => {
        const next = await notifications.nextDue()
        return next === undefined || next > clock.now
      })
      await turnOver()
    },
    async states() {
      const { rows } = await notifications.outbox(ada, { limit: 100 })
      return rows.map(({ state, tries }) => `${state} ${tries}`).toReversed()
    },
  }
}
