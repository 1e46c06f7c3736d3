// Ends what a run left behind: a turn that cannot go on here fails, or goes back into the queue.
import type { Bus } from '#core/bus.ts'
import { AppError } from '#core/errors.ts'
import type { Lease } from '#core/lease.ts'
import type { Store } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { ended } from '#core/turn-status.ts'
import type { Outcome, StartedTurn, Step } from '#core/turn-store.ts'
import type { Histories } from '#agent/history.ts'
import { closing, outcomeOf } from '#agent/loop.ts'
import type { Log } from '#lib/log.ts'
import { publishAndWake, publishTurn } from './announce.ts'
import { isAway, untilStored } from './store-retry.ts'

export type GiveUpParts = {
  readonly store: Pick<Store, 'turns'>
  readonly bus: Bus
  readonly histories: Histories
  readonly log: Log
  /** Stores a step. */
  readonly record: (turn: Turn, lease: Lease, step: Step) => Promise<StartedTurn>
  /** True once the process shuts down: nothing is tried again. */
  readonly over: () => boolean
}

/** Makes the function that takes a turn from its run. A fault of its own fails the turn, else it is queued again. */
export function createGiveUp(parts: GiveUpParts): (turn: Turn, lease: Lease, error: unknown) => Promise<void> {
  const { store, bus, histories, log, over } = parts

  /** Ends a turn that the loop could not end, based on its stored entries. */
  async function fail(turn: Turn, lease: Lease, outcome: Outcome): Promise<void> {
    const history = await histories.open({ turn, entries: [] }).catch(() => undefined)
    const usage = (await store.turns.get(turn.userId, turn.id))?.usage ?? turn.usage
    publishTurn(bus, await parts.record(turn, lease, { drafts: closing(history?.items ?? []), usage, outcome }))
    histories.drop(turn.threadId)
  }

  /** Publishes the end of a turn that was ended from outside, or whose last commit was not confirmed. */
  async function publishEnd(turn: Turn): Promise<void> {
    try {
      // A missing turn was erased with its thread.
      const now = (await store.turns.get(turn.userId, turn.id)) ?? { ...turn, status: 'cancelled' as const }
      if (ended(now.status)) bus.publish(turn.threadId, [{ type: 'turn', turn: now }])
    } catch (error) {
      log.warn({ turn: turn.id, err: error }, 'could not announce the end of a turn')
    }
  }

  return async (turn, lease, error) => {
    histories.drop(turn.threadId)
    if (error instanceof AppError && error.code === 'lease_lost') return publishEnd(turn)
    const outcome = isAway(error) ? undefined : outcomeOf(error)
    try {
      // Another run would hit the same fault, and the model would be paid each time.
      if (outcome) {
        log.error({ turn: turn.id, err: error }, 'turn failed inside the service')
        return await fail(turn, lease, outcome)
      }
      await untilStored(() => store.turns.release(turn, lease), { over })
      publishAndWake(bus, { turn: { ...turn, status: 'queued' }, entries: [] })
    } catch (cause) {
      log.error({ turn: turn.id, err: cause }, 'could not release a turn; it continues later')
    }
  }
}
