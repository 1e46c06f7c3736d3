// Why a turn ended without an answer: what happened, what is kept, what to do.
import { useComputed } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Settings } from '#doors/web/wire/settings.ts'
import { faultText } from '../api/client.ts'
import type { TurnView } from '../lib/conversation.ts'
import { ownTextOf } from '../lib/conversation.ts'
import { failureOf, otherModel } from '../lib/failure.ts'
import type { Conversation, TurnState } from '../store/conversation.ts'
import { resend } from '../store/fork.ts'
import { tell } from '../store/notices.ts'
import { outgoingTo, send } from '../store/outbox.ts'
import { receiptOf } from '../store/receipts.ts'
import { operator } from '../store/session.ts'
import { chooseModel, settings } from '../store/settings.ts'
import { useAct } from './act.ts'
import { Button } from './button.tsx'
import { Note } from './note.tsx'

type Props = {
  readonly conversation: Conversation
  readonly turn: TurnView
  readonly state: TurnState | undefined
}

export function Failure({ conversation, turn, state }: Props) {
  // A turn of an earlier visit tells its end in its receipt.
  const status = state?.status ?? receiptOf(turn.id).data.value?.status
  if (status === 'cancelled') {
    const said = turn.blocks.some((block) => block.type === 'text' && block.cut)
    return said ? null : <p class="label">Stopped.</p>
  }
  if (status !== 'failed') return null
  return <Why conversation={conversation} turn={turn} state={state} />
}

function Why({ conversation, turn, state }: Props) {
  const { data, fault: unread } = receiptOf(turn.id)
  const fault = state?.error ?? data.value?.error
  const ofModel = fault?.code.startsWith('model_') ?? false
  useEffect(() => {
    if (ofModel && operator.value) void settings.load()
  }, [ofModel])
  const { id, turns } = conversation
  const isLast = useComputed(() => turns.value.at(-1)?.id === turn.id && outgoingTo(id).length === 0).value
  // It tells how far the turn came: what is said here does not change once it is read.
  if (!fault || (data.value === undefined && unread.value === undefined)) return null
  const steps = data.value?.model_calls.length
  const { kind, title, text, goOn, change } = failureOf(fault, {
    done: turn.blocks.length > 0,
    ...(steps !== undefined && { steps }),
  })
  const { message } = turn
  const again = (): Promise<void> => (message ? resend(id, message, ownTextOf(message)) : Promise.resolve())
  const other = ofModel && operator.value && settings.data.value ? otherModel(settings.data.value) : undefined
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
          {other && message && <Instead model={other} again={again} />}
          {change && !other && operator.value && (
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

type InsteadProps = { readonly model: Settings['models'][number]; readonly again: () => Promise<void> }

/** Another model from now on, and the message once more. */
function Instead({ model, again }: InsteadProps) {
  const { busy, run } = useAct()
  const act = (): Promise<unknown> =>
    run(async () => {
      try {
        await chooseModel(model)
        tell(`From now on ${model.name} answers. Settings has the others.`)
      } catch (error) {
        tell(`The model was not changed. ${faultText(error)}`)
        return
      }
      await again()
    })
  return (
    <Button size="small" busy={busy.value} onClick={() => void act()}>
      Use {model.name} instead
    </Button>
  )
}
