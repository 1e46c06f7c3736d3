// Ctrl+C: clears a draft or stops the running turn first, and says that a second one leaves. Otherwise it leaves.
import type { Composer } from './composer.ts'
import type { QueuedEdit } from './queued-edit.ts'

export type InterruptParts = {
  readonly composer: Pick<Composer, 'empty' | 'take'>
  readonly queuedEdit: Pick<QueuedEdit, 'active' | 'leave'>
  /** The service runs in this process and ends with the terminal. */
  readonly hosts: boolean
  /** The id of the running turn of the open thread. */
  readonly running: () => string | undefined
  readonly stop: (turnId: string) => void
  readonly tell: (words: string) => void
  readonly quit: () => void
}

export interface Interrupt {
  press(): void
  /** Another key was pressed: the next Ctrl+C is a first one again. */
  reset(): void
}

export function createInterrupt({ composer, queuedEdit, hosts, running, stop, tell, quit }: InterruptParts): Interrupt {
  let warned = false

  function warn(done: string): void {
    warned = true
    tell(`${done} Ctrl+C again leaves${hosts ? ' and stops the service, which runs in this terminal' : ''}.`)
  }

  return {
    press() {
      const turnId = running()
      if (warned) quit()
      else if (queuedEdit.active) {
        queuedEdit.leave()
        warn('The queued message stays as it was.')
      } else if (!composer.empty) {
        composer.take()
        warn('Cleared; Ctrl+P brings it back.')
      } else if (turnId !== undefined) {
        stop(turnId)
        warn('Stopped.')
      } else quit()
    },
    reset() {
      warned = false
    },
  }
}
