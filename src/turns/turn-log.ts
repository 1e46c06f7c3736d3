// Log lines of a turn: one for each safety rule that matched, and one when the turn rests. The texts of the turn, and the
// words that matched a rule, are never logged.
import type { Entry } from '#core/item.ts'
import type { Turn } from '#core/turn.ts'
import type { Log } from '#lib/log.ts'
import { inPace } from '#lib/pace.ts'
import type { Marker } from '#safety/marks.ts'
import { leakPrefix, notesOf } from '#safety/notes.ts'

export async function logNotes(
  log: Log,
  { id, threadId }: Turn,
  entries: readonly Entry[],
  marker: Marker,
): Promise<void> {
  for (const { item } of entries) {
    for (const note of await inPace(notesOf(item, marker))) {
      const isLeak = note.rule.startsWith(leakPrefix)
      const message = isLeak ? 'a secret was kept from going out' : 'text from outside looks like an instruction'
      log.warn({ turn: id, thread: threadId, ...note }, message)
    }
  }
}

/** Logs that a turn rests. `request` is the id of the request that started it. */
export function logRest(log: Log, turn: Turn, request?: string): void {
  const { id, threadId, door, status, createdAt, endedAt = Date.now(), usage, error } = turn
  const line = {
    ...(request && { request }),
    turn: id,
    thread: threadId,
    door,
    status,
    // Not below 0: the clock may have been set back meanwhile.
    ms: Math.max(0, endedAt - createdAt),
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
  }
  if (status === 'failed') log.warn({ ...line, ...error }, 'turn failed')
  else log.info(line, status === 'waiting' ? 'turn waits' : 'turn ended')
}
