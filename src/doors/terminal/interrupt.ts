// Ctrl+C and Esc in the composer: both stop things, and say what they stopped.
import { countWords } from '#core/words.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import type { Approvals } from './approvals.ts'
import type { Composer } from './composer.ts'
import type { Conversation } from './conversation.ts'
import type { QueuedEdit } from './queued-edit.ts'
import type { Transcript } from './transcript.ts'

export type InterruptParts = {
  readonly client: Pick<OperatorClient, 'cancel'>
  readonly composer: Pick<Composer, 'empty' | 'take'>
  readonly conversation: Pick<Conversation, 'blocks'>
  readonly approvals: Pick<Approvals, 'dialog' | 'later'>
  readonly transcript: Pick<Transcript, 'toEnd'>
  readonly queuedEdit: Pick<QueuedEdit, 'active' | 'leave'>
  /** The service runs in this process and ends with the terminal. */
  readonly hosts: boolean
  readonly attempt: (work: Promise<unknown>) => void
  /** Gives the composer the focus, so that the next keys go to the draft. */
  readonly toComposer: () => void
  readonly tell: (words: string) => void
  readonly quit: () => void
}

export interface Interrupt {
  /** Ctrl+C: clears a draft or stops the running turn first, and says that a second one leaves. Otherwise it leaves. */
  press(): void
  /** Another key was pressed: the next Ctrl+C is a first one again. */
  reset(): void
  /** Esc: stops a running turn, hides the dialog, or cancels a waiting turn. */
  back(): void
}

export function createInterrupt(parts: InterruptParts): Interrupt {
  const { client, composer, conversation, approvals, queuedEdit, attempt, tell, quit } = parts
  let warned = false

  function warn(done: string): void {
    warned = true
    tell(`${done} Ctrl+C again leaves${parts.hosts ? ' and stops the service, which runs in this terminal' : ''}.`)
  }

  /** Stops a turn. The messages behind it go on. */
  function stop(turnId: string): void {
    const behind = conversation.blocks.queued().length
    attempt(client.cancel(turnId))
    if (behind === 0) return
    tell(`Stopped. ${countWords(behind, 'queued message')} ${behind === 1 ? 'goes' : 'go'} on; /stop stops everything.`)
  }

  return {
    press() {
      const turn = conversation.blocks.turn()
      if (warned) quit()
      else if (queuedEdit.active) {
        queuedEdit.leave()
        parts.toComposer()
        warn('The queued message stays as it was.')
      } else if (!composer.empty) {
        composer.take()
        parts.toComposer()
        warn('Cleared; Ctrl+P brings it back.')
      } else if (turn?.status === 'running') {
        attempt(client.cancel(turn.id))
        warn('Stopped.')
      } else quit()
    },
    reset() {
      warned = false
    },
    back() {
      const turn = conversation.blocks.turn()
      if (queuedEdit.active) queuedEdit.leave()
      else if (turn?.status === 'running') stop(turn.id)
      else if (approvals.dialog) approvals.later()
      else if (turn) attempt(client.cancel(turn.id))
      else parts.transcript.toEnd()
    },
  }
}
