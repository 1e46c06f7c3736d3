// Wire format of notifications: ways, quiet hours, the outbox.
import * as z from 'zod/mini'

const Events = z.enum(['needs_you', 'finished', 'failed'])
const Kinds = z.enum(['push', 'ntfy', 'telegram'])

export const WayWire = z.object({
  id: z.string(),
  kind: Kinds,
  events: z.array(Events),
  /** Messages have the words of the thread, not just its title. */
  content: z.boolean(),
  /** Its name for people: a browser, a host, a chat. */
  label: z.string(),
  /** The topic of ntfy, or the endpoint of a browser's subscription. */
  url: z.exactOptional(z.string()),
  created_at: z.string(),
})

const GoneWire = z.object({
  id: z.string(),
  kind: Kinds,
  label: z.string(),
  removed_at: z.string(),
  because: z.string(),
})

const QuietWire = z.object({ from: z.string(), to: z.string(), zone: z.string() })

export const NotificationsAnswer = z.object({
  ways: z.array(WayWire),
  /** Ways that were removed because they were gone; each is listed until it is deleted. */
  removed: z.array(GoneWire),
  quiet: z.nullable(QuietWire),
  /** The key that a browser subscribes with. */
  push_key: z.string(),
})

export const TestAnswer = z.object({
  /** `gone`: the way was removed. `later` and `refused`: it did not arrive. `unknown`: it may have arrived. */
  outcome: z.enum(['sent', 'gone', 'later', 'refused', 'unknown']),
  /** Why it did not arrive. */
  error: z.exactOptional(z.string()),
})

const EntryWire = z.object({
  id: z.string(),
  user: z.string(),
  /** The id of its way. */
  way: z.string(),
  event: Events,
  state: z.enum(['due', 'sent', 'failed', 'unknown']),
  tries: z.number(),
  /** When it is due, or when it came to its state. */
  at: z.string(),
  created_at: z.string(),
  thread_id: z.exactOptional(z.string()),
  mission_id: z.exactOptional(z.string()),
  /** Why the last try failed. */
  error: z.exactOptional(z.string()),
})

export const OutboxAnswer = z.object({ outbox: z.array(EntryWire), next_cursor: z.nullable(z.string()) })

export type Way = z.output<typeof WayWire>
export type NotificationSettings = z.output<typeof NotificationsAnswer>
export type TestOutcome = z.output<typeof TestAnswer>
