// Records of streams that are not over: which event carried which part of a text. A client whose connection was lost goes on
// after the last event that it has read.

/** How a function call is streamed: whole, as the specification has it, or by its arguments, as the reference does. */
export type EventStyle = 'specified' | 'reference'

/** How long the record of a stream is kept after its reader has left. */
const maxAwayMs = 60_000
/** The most records without a reader, and the most numbers in them. */
const maxLeft = 1000
const maxNumbers = 1_000_000

/** A message of a stream: the number of the event that added it, and the length of its text after each of its deltas. */
export type MessageRecord = { readonly entryId: string; readonly from: number; readonly ends: number[] }

/** Is written to while its stream is. Holds no text. */
export type StreamRecord = {
  readonly turnId: string
  readonly events: EventStyle
  readonly messages: MessageRecord[]
  /** The number of the first event that is not in the record. */
  next: number
}

export interface StreamRecords {
  /** A stream began. Its record can be taken at once: the loss of a connection may be noticed late. */
  open(record: StreamRecord): void
  /** The reader of a stream left before its end. */
  left(record: StreamRecord): void
  /** A stream was written to its end. */
  over(record: StreamRecord): void
  /** Removes the record of a stream of the turn that has an event of this number. Returns it up to that event. */
  take(turnId: string, number: number): StreamRecord | undefined
}

/** The record of a stream that has no event yet. */
export function newRecord(turnId: string, events: EventStyle): StreamRecord {
  return { turnId, events, messages: [], next: 0 }
}

export function createStreamRecords(now = () => performance.now()): StreamRecords {
  const byTurn = new Map<string, StreamRecord[]>()
  /** Records without a reader, the oldest first. */
  const left = new Map<StreamRecord, { readonly since: number; readonly size: number }>()
  let numbers = 0

  function remove(record: StreamRecord): void {
    numbers -= left.get(record)?.size ?? 0
    left.delete(record)
    const others = (byTurn.get(record.turnId) ?? []).filter((each) => each !== record)
    if (others.length > 0) byTurn.set(record.turnId, others)
    else byTurn.delete(record.turnId)
  }

  function evict(): void {
    for (const [record, { since }] of left) {
      if (left.size <= maxLeft && numbers <= maxNumbers && now() - since <= maxAwayMs) return
      remove(record)
    }
  }

  return {
    open(record) {
      byTurn.set(record.turnId, [...(byTurn.get(record.turnId) ?? []), record])
    },
    left(record) {
      // A record that was taken belongs to a stream that has gone on elsewhere.
      if (!byTurn.get(record.turnId)?.includes(record)) return
      const size = record.messages.reduce((sum, { ends }) => sum + ends.length, 0)
      left.set(record, { since: now(), size })
      numbers += size
      evict()
    },
    over: remove,
    take(turnId, number) {
      evict()
      const fitting = (byTurn.get(turnId) ?? []).filter(({ next }) => number < next)
      const record = fitting.findLast((each) => left.has(each)) ?? fitting.at(-1)
      if (!record) return undefined
      remove(record)
      return upTo(record, number)
    },
  }
}

function upTo({ messages, ...record }: StreamRecord, number: number): StreamRecord {
  const had = messages.filter(({ from }) => from <= number)
  return {
    ...record,
    messages: had.map((each) => ({ ...each, ends: each.ends.slice(0, number - each.from) })),
    next: number + 1,
  }
}
