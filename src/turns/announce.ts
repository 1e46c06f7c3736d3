// What those who watch a thread, and those who follow its user's lists, are told of a turn.
import type { Bus } from '#core/bus.ts'
import type { StartedTurn } from '#core/store.ts'

/** A turn stands otherwise than before, by what was appended. */
export function tellTurn(bus: Bus, { turn, entries }: StartedTurn): void {
  bus.publish(turn.threadId, [
    ...(entries.length > 0 ? [{ type: 'entries' as const, entries }] : []),
    { type: 'turn', turn },
  ])
  bus.publishChange(turn, { threadId: turn.threadId, turnId: turn.id })
}

/** The same, and whoever has room may look for work: the turn is back in the queue, or its thread is free for the next. */
export function tellFree(bus: Bus, told: StartedTurn): void {
  tellTurn(bus, told)
  bus.signal({ type: 'queued' })
}
