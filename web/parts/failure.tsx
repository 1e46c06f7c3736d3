// Why a turn ended without an answer: what happened, what is kept, what to do.
import { useEffect } from 'preact/hooks'
import type { TurnState } from '../api/live.ts'
import type { Fault } from '../api/wire.ts'
import type { TurnView } from '../lib/conversation.ts'
import { textOf } from '../lib/conversation.ts'
import type { Conversation } from '../store/conversation.ts'
import { resend } from '../store/fork.ts'
import { receiptOf } from '../store/receipts.ts'
import { jobOf } from '../store/jobs.ts'
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
  const job = jobOf(turn.id)
  useEffect(() => {
    if (!state?.error && job.data.value === undefined) void job.load()
  }, [])
  const fault = state?.error ?? job.data.value?.error
  if (!fault) return null
  const { message } = turn
  const capped = fault.code === 'spend_limit'
  return (
    <Note
      kind={capped ? 'sun' : 'clay'}
      title={titleOf(fault)}
      actions={
        <>
          {message && (
            <Button size="small" icon="retry" onClick={() => void resend(conversation.id, message, textOf(message))}>
              Try again
            </Button>
          )}
          {(capped || fault.code.startsWith('model_')) && (
            <a class="button plain small" href="/settings">
              {capped ? 'Change the cap' : 'Change the model'}
            </a>
          )}
        </>
      }
    >
      {sentence(fault.message)} {turn.blocks.length > 0 ? 'What was done is kept.' : 'Your message is kept.'}
    </Note>
  )
}

const titles: Readonly<Record<string, string>> = {
  turn_timeout: 'The turn took too long',
  time_limit: 'The turn took too long',
  step_limit: 'Stopped after too many steps',
  repeated_call: 'Stopped: it went in circles',
  failing_tool: 'Stopped: a tool kept failing',
  model_rate_limited: 'The model refused for now',
  model_unauthorized: 'The model refused the key',
  model_key_missing: 'The model has no key',
}

/** What happened; of a cap, which one. */
function titleOf({ code, message }: Fault): string {
  if (code === 'spend_limit') {
    const cap = /cap (?:of a day )?is (\$[\d.]*\d)/.exec(message)?.[1]
    return `Stopped at the spend cap${cap === undefined ? '' : ` of ${cap}`}`
  }
  return titles[code] ?? (code.startsWith('model_') ? 'The model did not answer' : 'The turn failed')
}

function sentence(text: string): string {
  const words = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.?!]$/.test(words) ? words : `${words}.`
}
