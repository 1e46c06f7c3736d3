// Starts the turn of a history in the place that was found for it, or in another one if the thread has changed meanwhile.
import { AppError } from '#core/errors.ts'
import type { StartTurn } from '#turns/turns.ts'

/** A history is looked up so often, if its thread goes on each time before the start. */
const maxLookUps = 2

export type Planned = {
  readonly start: StartTurn
  /** The same in a thread of its own, for a history that has a place in another one. */
  readonly apart?: () => Promise<StartTurn>
}

/**
 * A history whose thread has gone on since it was looked up is looked up again: it then goes on in a fork. One that cannot be
 * forked goes on in a thread of its own.
 */
export async function startPlanned<Started>(
  plan: () => Promise<Planned>,
  begin: (start: StartTurn) => Promise<Started>,
): Promise<Started> {
  for (let lookUps = 1; ; lookUps++) {
    const { start, apart } = await plan()
    try {
      return await begin(start)
    } catch (error) {
      const late = hasGoneOn(error)
      if (!apart || !(late || cannotFork(error, start))) throw error
      if (!late || lookUps === maxLookUps) return begin(await apart())
    }
  }
}

function hasGoneOn(error: unknown): boolean {
  return error instanceof AppError && error.code === 'conversation_busy'
}

/** True for a thread that is gone, or one to fork that is too large or has moved on. */
function cannotFork(error: unknown, { forks }: StartTurn): boolean {
  if (!(error instanceof AppError)) return false
  return (
    error.code === 'not_found' || (forks !== undefined && (error.code === 'too_large' || error.param === 'before_seq'))
  )
}
