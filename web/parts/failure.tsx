// The note under a failed turn: what happened, what is kept, what to do.
import { useComputed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Settings } from '#doors/web/wire/settings.ts'
import type { TurnView } from '../lib/conversation.ts'
import { isCut, ownTextOf } from '../lib/conversation.ts'
import { failureOf, otherModel } from '../lib/failure.ts'
import type { Conversation, TurnState } from '../store/conversation.ts'
import { notify } from '../store/notices.ts'
import { outgoingTo, send } from '../store/outbox.ts'
import { receiptOf } from '../store/receipts.ts'
import { isOperator } from '../store/session.ts'
import { chooseModel, settings } from '../store/settings.ts'
import { resend } from '../store/variants.ts'
import { ActButton } from './act-button.tsx'
import { Button } from './button.tsx'
import { Note } from './note.tsx'

type Props = {
  readonly conversation: Conversation
  readonly turn: TurnView
  readonly state: TurnState | undefined
}

export function FailureNote({ conversation, turn, state }: Props) {
  const { data, fault: receiptFault } = receiptOf(turn.id)
  const fault = state?.error ?? data.value?.error
  const ofModel = fault?.code.startsWith('model_') ?? false
  useEffect(() => {
    if (ofModel && isOperator.value) void settings.load()
  }, [ofModel])
  const { id, turns } = conversation
  const isLast = useComputed(() => turns.value.at(-1)?.id === turn.id && outgoingTo(id).length === 0).value
  // Waits for the receipt, which has the number of steps, so that the text does not change while it is read.
  if (!fault || (data.value === undefined && receiptFault.value === undefined)) return null
  const steps = data.value?.model_calls.length
  const { kind, title, text, goOn, change } = failureOf(fault, {
    done: turn.blocks.length > 0,
    cut: isCut(turn),
    ...(steps !== undefined && { steps }),
  })
  const { message } = turn
  const again = async (): Promise<void> => {
    if (message) await resend(id, message, ownTextOf(message))
  }
  const other = ofModel && isOperator.value && settings.data.value ? otherModel(settings.data.value) : undefined
  return (
    <Note
      kind={kind}
      title={title}
      actions={
        <>
          {goOn !== undefined && isLast && (
            <Button size="small" onClick={() => void send({ threadId: id, text: 'Go on.', files: [] })}>
              {goOn}
            </Button>
          )}
          {kind === 'clay' && message && (
            <ActButton size="small" icon="retry" act={again} failed="The message was not sent again.">
              Try again
            </ActButton>
          )}
          {other && message && <UseModel model={other} again={again} />}
          {change && !other && isOperator.value && (
            <a class="button plain small" href={change.at}>
              {change.words}
            </a>
          )}
        </>
      }
    >
      {text}
    </Note>
  )
}

type UseModelProps = { readonly model: Settings['models'][number]; readonly again: () => Promise<void> }

/** Chooses another model and sends the message again. */
function UseModel({ model, again }: UseModelProps) {
  const act = async (): Promise<void> => {
    await chooseModel(model)
    notify(`From now on ${model.name} answers. Settings has the others.`)
    await again()
  }
  return (
    <ActButton size="small" act={act} failed="The model was not changed.">
      Use {model.name} instead
    </ActButton>
  )
}
