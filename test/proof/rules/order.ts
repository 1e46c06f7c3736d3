// Messages of a thread are taken in the order in which they were acknowledged, one turn after the other.
import type { History, Rule, StoredThread } from '../history.ts'
import { opOf } from './log.ts'

export const order: Rule = {
  name: 'order',
  promise: 'A message that was sent after another was acknowledged comes after it in their thread; turns do not mix.',
  check: (history) => [...history.stored.threads.flatMap(mixed), ...overtaking(history)],
}

function mixed({ id, entries }: StoredThread): string[] {
  const ended = new Set<string>()
  let current: string | undefined
  for (const { turnId, seq } of entries) {
    if (turnId === current) continue
    if (current !== undefined) ended.add(current)
    if (ended.has(turnId)) return [`thread ${id}: turn ${turnId} goes on at ${seq}, after another`]
    current = turnId
  }
  return []
}

type Position = { readonly threadId: string; readonly seq: number }

function overtaking({ events, stored }: History): string[] {
  const threadOf = new Map(stored.turns.map(({ turnId, threadId }) => [turnId, threadId]))
  const positions = new Map<number, Position>()
  for (const { id, entries } of stored.threads)
    for (const entry of entries) {
      const op = threadOf.get(entry.turnId) === id ? opOf(entry) : undefined
      if (op !== undefined) positions.set(op, { threadId: id, seq: entry.seq })
    }
  /** The last message of each thread that was acknowledged so far. */
  const last = new Map<string, number>()
  const breaches: string[] = []
  const known = new Map<string, string>()
  for (const event of events) {
    if (event.type === 'acknowledged') {
      const at = positions.get(event.op)
      if (at) last.set(at.threadId, Math.max(last.get(at.threadId) ?? 0, at.seq))
    }
    if (event.type !== 'asked') continue
    const at = positions.get(event.op)
    if (!at) continue
    const { conversation } = event
    // The first message of a conversation says which thread it is.
    if (conversation !== undefined && !known.has(conversation)) known.set(conversation, at.threadId)
    const threadId = conversation === undefined ? event.threadId : known.get(conversation)
    if (threadId === undefined) continue
    if (at.threadId !== threadId) breaches.push(`op ${event.op} is in thread ${at.threadId}, not in ${threadId}`)
    else if (at.seq <= (last.get(threadId) ?? 0))
      breaches.push(`op ${event.op} is before an earlier message of its thread`)
  }
  return breaches
}
