// Publishes changes of a turn to the watchers of its thread and to its user's lists.
import type { Bus, Signal } from '#core/bus.ts'
import type { Turn } from '#core/turn.ts'
import type { StartedTurn } from '#core/turn-store.ts'

/** Publishes a changed turn with the entries that were appended. */
export function publishTurn(bus: Bus, { turn, entries }: StartedTurn): void {
  bus.publish(turn.threadId, [
    ...(entries.length > 0 ? [{ type: 'entries' as const, entries }] : []),
    { type: 'turn', turn },
  ])
  bus.publishChange(turn, { threadId: turn.threadId, turnId: turn.id })
}

/** Also wakes the runners: the turn is back in the queue, or its thread is free for the next turn. */
export function publishAndWake(bus: Bus, changed: StartedTurn): void {
  publishTurn(bus, changed)
  bus.signal({ type: 'queued' })
}

/** Publishes the entries that were appended in a turn that has not changed otherwise. */
export function publishEntries(bus: Bus, { turn, entries }: StartedTurn): void {
  if (entries.length > 0) bus.publish(turn.threadId, [{ type: 'entries', entries }])
}

/** Announces that a turn was erased with its thread: its runner stops, and its watchers see it end. */
export function publishErased(bus: Pick<Bus, 'publish' | 'signal'>, turn: Turn): void {
  // Without the signal the runner would notice only at its next step, and the model would be paid until then.
  bus.signal(cancelSignal(turn.id))
  bus.publish(turn.threadId, [{ type: 'turn', turn: { ...turn, status: 'cancelled' } }])
}

/** Stops a turn in the process that runs it. */
export function cancelSignal(turnId: string): Signal {
  return { type: 'stop', turnId, code: 'turn_cancelled', message: 'cancelled' }
}
