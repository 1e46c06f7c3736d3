// Wire format of threads and their items.
import * as z from 'zod/mini'
import { answerFields, gateFields } from './gate.ts'
import { DoorName } from './turn.ts'

export const ThreadWire = z.object({
  id: z.string(),
  title: z.string(),
  door: DoorName,
  created_at: z.string(),
  updated_at: z.string(),
  last_seq: z.number(),
  /** The model that was chosen for the thread; absent for the usual one. */
  model: z.exactOptional(z.string()),
  /** `waiting`: for a person to answer a gate. */
  state: z.enum(['idle', 'running', 'waiting', 'failed']),
  pinned: z.exactOptional(z.literal(true)),
  archived: z.exactOptional(z.literal(true)),
  /** The id of a conversation with variants: that of its first thread. */
  family: z.exactOptional(z.string()),
  /** In no list: another variant of the conversation is shown there. */
  hidden: z.exactOptional(z.literal(true)),
})

/** A thread in a list. `match`, in a search, is the message that has the words; a thread without it was found by its title. */
export const ListedThreadWire = z.extend(ThreadWire, {
  match: z.exactOptional(z.object({ seq: z.number(), snippet: z.string() })),
})

const PartWire = z.discriminatedUnion('type', [
  /** `origin` is the source of a text that its sender did not write. */
  z.object({ type: z.literal('text'), text: z.string(), origin: z.exactOptional(z.string()) }),
  z.object({ type: z.literal('image'), url: z.string() }),
  /** `pages`, of a PDF: how many it has, and how many of them are in the text. */
  z.object({
    type: z.literal('file'),
    name: z.string(),
    text: z.string(),
    pages: z.exactOptional(z.object({ all: z.number(), read: z.number() })),
  }),
])

const message = {
  type: z.literal('message'),
  role: z.enum(['user', 'assistant']),
  content: z.array(PartWire),
  /** True when the message broke off. */
  cut: z.exactOptional(z.literal(true)),
}
const reasoning = { type: z.literal('reasoning'), text: z.string() }
const call = { type: z.literal('call'), call_id: z.string(), name: z.string(), args: z.unknown() }
const attempt = { type: z.literal('attempt'), call_id: z.string() }
const result = {
  type: z.literal('result'),
  call_id: z.string(),
  output: z.string(),
  error: z.exactOptional(z.literal(true)),
  /** The source of the result, when it came from outside. */
  origin: z.exactOptional(z.string()),
}
const gate = { type: z.literal('gate'), call_id: z.string(), ...gateFields }
const answer = { type: z.literal('answer'), call_id: z.string(), ...answerFields, output: z.exactOptional(z.string()) }
/** Replaces all items up to the seq `up_to`. */
const summary = { type: z.literal('summary'), text: z.string(), up_to: z.number() }

/** The union of all item types, each with these fields added. */
function itemsWith<Head extends Readonly<Record<string, z.ZodMiniType>>>(head: Head) {
  return z.discriminatedUnion('type', [
    z.object({ ...head, ...message }),
    z.object({ ...head, ...reasoning }),
    z.object({ ...head, ...call }),
    z.object({ ...head, ...attempt }),
    z.object({ ...head, ...result }),
    z.object({ ...head, ...gate }),
    z.object({ ...head, ...answer }),
    z.object({ ...head, ...summary }),
  ])
}

const queued = { id: z.string(), turn_id: z.string(), at: z.string() }

/** An item of a thread. */
export const ItemWire = itemsWith({ seq: z.number(), ...queued })
/** An item that enters the thread once its turn begins. */
export const QueuedWire = itemsWith(queued)

const VariantsWire = z.object({ seq: z.number(), threads: z.array(z.string()), at: z.number() })

export const ThreadsAnswer = z.object({ threads: z.array(ListedThreadWire), next_cursor: z.nullable(z.string()) })
export const ThreadAnswer = z.object({
  thread: ThreadWire,
  items: z.array(ItemWire),
  next_after: z.nullable(z.number()),
  queued: z.array(QueuedWire),
  /** The variants of messages: their threads, oldest first, and the place of this thread among them. */
  variants: z.exactOptional(z.array(VariantsWire)),
  /** The thread that this one was forked from; it has its own items from `seq` on. */
  origin: z.exactOptional(z.object({ id: z.string(), title: z.string(), seq: z.number() })),
})

/** Messages that have the words, and how often; `next_after` where the thread goes on after what was looked through. */
export const FoundAnswer = z.object({
  hits: z.array(z.object({ seq: z.number(), count: z.number() })),
  next_after: z.nullable(z.number()),
})

export type Thread = z.output<typeof ThreadWire>
export type ListedThread = z.output<typeof ListedThreadWire>
export type ThreadPage = z.output<typeof ThreadsAnswer>
/** A thread with a page of its items. */
export type ThreadItems = z.output<typeof ThreadAnswer>
export type Variants = z.output<typeof VariantsWire>
export type Origin = NonNullable<ThreadItems['origin']>
export type FoundPart = z.output<typeof FoundAnswer>
export type Part = z.output<typeof PartWire>
export type Item = z.output<typeof ItemWire>
export type QueuedItem = z.output<typeof QueuedWire>
export type MessageItem = Extract<Item, { type: 'message' }>
export type CallItem = Extract<Item, { type: 'call' }>
export type GateItem = Extract<Item, { type: 'gate' }>
export type AnswerItem = Extract<Item, { type: 'answer' }>
