// The note under a failed or stopped turn: what happened, what is kept, what to do.
import { useComputed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Settings } from '#doors/web/wire/settings.ts'
import type { Status } from '#doors/web/wire/turn.ts'
import type { TurnView } from '../lib/conversation.ts'
import { ownTextOf } from '../lib/conversation.ts'
import { failureOf, otherModel } from '../lib/failure.ts'
import type { Conversation, TurnState } from '../store/conversation.ts'
import { resend } from '../store/fork.ts'
import { notify } from '../store/notices.ts'
import { outgoingTo, send } from '../store/outbox.ts'
import { receiptOf } from '../store/receipts.ts'
import { isOperator } from '../store/session.ts'
import { chooseModel, settings } from '../store/settings.ts'
import { useAct } from './act.ts'
import { Button } from './button.tsx'
import { Note } from './note.tsx'

type Props = {
  readonly conversation: Conversation
  readonly turn: TurnView
  readonly state: TurnState | undefined
}

/** The status of a turn. One that ended before this visit has it in the receipt. */
export function statusOf(turn: TurnView, state: TurnState | undefined): Status | undefined {
  return state?.status ?? receiptOf(turn.id).data.value?.status
}

export function Failure({ conversation, turn, state }: Props) {
  const status = statusOf(turn, state)
  if (status === 'cancelled') return isCut(turn) ? null : <p class="label">Stopped.</p>
  if (status !== 'failed') return null
  return <FailureNote conversation={conversation} turn={turn} state={state} />
}

/** The last text is incomplete. */
function isCut({ blocks }: TurnView): boolean {
  const last = blocks.at(-1)
  return last?.type === 'text' && last.cut
}

function FailureNote({ conversation, turn, state }: Props) {
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
  const again = (): Promise<void> => (message ? resend(id, message, ownTextOf(message)) : Promise.resolve())
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
            <Button size="small" icon="retry" onClick={() => void again()}>
              Try again
            </Button>
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
  const { busy, run } = useAct()
  const act = (): Promise<void> =>
    run(async () => {
      await chooseModel(model)
      notify(`From now on ${model.name} answers. Settings has the others.`)
      await again()
    }, 'The model was not changed.')
  return (
    <Button size="small" busy={busy.value} onClick={() => void act()}>
      Use {model.name} instead
    </Button>
  )
}
