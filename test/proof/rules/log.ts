// Views of a history that several rules share.
import type { Entry } from '#core/item.ts'
import { textOf } from '#core/item.ts'
import { type Event, type History, readMessage, type Stored } from '../history.ts'

export type Of<Type extends Event['type']> = Extract<Event, { readonly type: Type }>

export function eventsOf<Type extends Event['type']>({ events }: History, type: Type): Of<Type>[] {
  return events.filter((event): event is Of<Type> => event.type === type)
}

/** The entries of each turn in its own thread: a fork has copies of them. */
export function entriesByTurn({ threads, turns }: Stored): Map<string, readonly Entry[]> {
  const threadOf = new Map(turns.map(({ turnId, threadId }) => [turnId, threadId]))
  return new Map(
    threads.flatMap(({ id, entries }) =>
      [...Map.groupBy(entries, ({ turnId }) => turnId)].filter(([turnId]) => threadOf.get(turnId) === id),
    ),
  )
}

/** The op of the message that an entry is. */
export function opOf({ item }: Entry): number | undefined {
  return item.type === 'message' && item.role === 'user' ? readMessage(textOf(item))?.op : undefined
}

/** The texts that the model wrote in a turn, in order. */
export function said(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ item }) => (item.type === 'message' && item.role === 'assistant' ? [textOf(item)] : []))
}

/** Threads that somebody asked to delete: what was in them may be gone. */
export function deletedThreads(history: History): Set<string> {
  return new Set(eventsOf(history, 'deleting').map(({ threadId }) => threadId))
}
