// Decides which approval dialog is shown. Gates of the open thread appear by themselves, unfocused; others on request.
import { AppError } from '#core/errors.ts'
import type { OpenGate } from '#core/turn-store.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import { type Answer, createDialog, type Dialog } from './dialog.ts'
import { faultWords } from './faults.ts'
import type { Theme } from './theme.ts'

export interface Approvals {
  readonly dialog: Dialog | undefined
  /** Updates the open gates: closes the dialog of a closed gate, and shows the next gate of this thread. */
  follow(gates: readonly OpenGate[], threadId: string | undefined): void
  /** Opens the dialog of a gate on the user's request. */
  open(gate: OpenGate): void
  close(): void
  /** Handles a key while the dialog has the focus. */
  press(data: string): void
  /** Hides the dialog; its gate stays open. */
  later(): void
}

export type ApprovalsParts = {
  readonly client: OperatorClient
  readonly theme: Theme
  readonly now: () => number
  readonly tell: (words: string) => void
  /** Called when the dialog closes, so that the focus can move. */
  readonly gone: () => void
  /** Called when an answer was accepted or refused. */
  readonly answered: () => void
}

export function createApprovals({ client, theme, now, tell, gone, answered }: ApprovalsParts): Approvals {
  let dialog: Dialog | undefined
  /** Gates that the user left for later. */
  const later = new Set<string>()

  function sendAnswer(open: Dialog, answer: Answer): void {
    client.answer(open.gate.turn.threadId, answer).then(answered, (error: unknown) => {
      if (error instanceof AppError && error.code === 'gate_closed') tell('This was answered already.')
      else open.refuse(faultWords(error))
      answered()
    })
  }

  function close(): void {
    dialog = undefined
    gone()
  }

  function leave(): void {
    if (dialog) later.add(dialog.gate.gate.callId)
    close()
  }

  return {
    get dialog() {
      return dialog
    },
    follow(gates, threadId) {
      const shown = dialog?.gate
      // A call may open a second gate when its first was answered.
      if (shown && !gates.some(({ gate, at }) => gate.callId === shown.gate.callId && at === shown.at)) close()
      const next = gates.find(({ turn, gate }) => turn.threadId === threadId && !later.has(gate.callId))
      if (!dialog && next) dialog = createDialog(next, { theme, now, asked: false })
    },
    open(gate) {
      later.delete(gate.gate.callId)
      dialog = createDialog(gate, { theme, now, asked: true })
    },
    close,
    press(data) {
      const answer = dialog?.press(data)
      if (answer === 'later') leave()
      else if (dialog && answer) sendAnswer(dialog, answer)
    },
    later: leave,
  }
}
