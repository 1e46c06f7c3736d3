// The approval that is shown: one of this thread opens by itself and takes no key; any other is asked for.
import { AppError } from '#core/errors.ts'
import type { OpenGate } from '#core/store.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import { type Answer, createDialog, type Dialog } from './dialog.ts'
import { faultWords } from './faults.ts'
import type { Theme } from './theme.ts'

export interface Approvals {
  readonly dialog: Dialog | undefined
  /** What is open now: a dialog whose gate is not goes, and the next of this thread comes. */
  follow(gates: readonly OpenGate[], threadId: string | undefined): void
  /** Somebody asked for this one. */
  open(gate: OpenGate): void
  close(): void
  /** A key of whoever is in the dialog. */
  press(data: string): void
  /** Leaves it open, and out of sight. */
  later(): void
}

export type ApprovalsParts = {
  readonly client: OperatorClient
  readonly theme: Theme
  readonly now: () => number
  readonly tell: (words: string) => void
  /** The dialog has gone: the keys are nobody's. */
  readonly gone: () => void
  /** An answer has been taken, or refused. */
  readonly answered: () => void
}

export function createApprovals({ client, theme, now, tell, gone, answered }: ApprovalsParts): Approvals {
  let dialog: Dialog | undefined
  /** Gates that were left for later. */
  const later = new Set<string>()

  function say(open: Dialog, answer: Answer): void {
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
      const shown = dialog?.gate.gate.callId
      if (shown !== undefined && !gates.some(({ gate }) => gate.callId === shown)) close()
      const next = gates.find(({ turn, gate }) => turn.threadId === threadId && !later.has(gate.callId))
      if (!dialog && next) dialog = createDialog(next, { theme, now, asked: false })
    },
    open(gate) {
      later.delete(gate.gate.callId)
      dialog = createDialog(gate, { theme, now, asked: true })
    },
    close,
    press(data) {
      const said = dialog?.press(data)
      if (said === 'later') leave()
      else if (dialog && said) say(dialog, said)
    },
    later: leave,
  }
}
