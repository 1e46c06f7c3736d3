// The status of a turn. The browser app loads this file, so it imports nothing.

export type TurnStatus = 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled'

/** True for a final status. */
export function ended(status: TurnStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** True when a turn does nothing more by itself: it has ended, or waits for a person. */
export function isAtRest(status: TurnStatus): boolean {
  return status !== 'queued' && status !== 'running'
}
