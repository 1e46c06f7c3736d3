// Esc in the composer: leaves or stops the first thing that there is, and says what it stopped.
import { countWords } from '#core/words.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import type { Approvals } from './approvals.ts'
import type { Conversation } from './conversation.ts'
import type { QueuedEdit } from './queued-edit.ts'
import type { Transcript } from './transcript.ts'

export type StepBackParts = {
  readonly client: Pick<OperatorClient, 'cancel'>
  readonly conversation: Pick<Conversation, 'blocks'>
  readonly approvals: Pick<Approvals, 'dialog' | 'later'>
  readonly transcript: Pick<Transcript, 'toEnd'>
  readonly queuedEdit: Pick<QueuedEdit, 'active' | 'leave'>
  readonly attempt: (work: Promise<unknown>) => void
  readonly tell: (words: string) => void
}

/** Leaves a queued message, stops a running turn, hides the dialog, or cancels a waiting turn. */
export function createStepBack(parts: StepBackParts): () => void {
  const { client, conversation, approvals, queuedEdit, attempt, tell } = parts

  /** Stops a turn. The messages behind it go on. */
  function stop(turnId: string): void {
    const behind = conversation.blocks.queued().length
    attempt(client.cancel(turnId))
    if (behind === 0) return
    tell(`Stopped. ${countWords(behind, 'queued message')} ${behind === 1 ? 'goes' : 'go'} on; /stop stops everything.`)
  }

  return () => {
    const turn = conversation.blocks.turn()
    if (queuedEdit.active) queuedEdit.leave()
    else if (turn?.status === 'running') stop(turn.id)
    else if (approvals.dialog) approvals.later()
    else if (turn) attempt(client.cancel(turn.id))
    else parts.transcript.toEnd()
  }
}
