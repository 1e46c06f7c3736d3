// The card of a gate: the question, a preview of the call, and the answers. Nothing else on the page answers a gate.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { maxGateWordChars } from '#core/page-limits.ts'
import type { GateAnswer, Waiting } from '#doors/web/wire/gate.ts'
import { printable } from '#safety/printable.ts'
import { ApiFault, faultText } from '../api/client.ts'
import { lazy } from '../lazy.tsx'
import { doorOf } from '../lib/doors.ts'
import { exactTime, leftText } from '../lib/words.ts'
import { now } from '../store/clock.ts'
import { prependDraft } from '../store/drafts.ts'
import { answerGate } from '../store/gates.ts'
import { notify } from '../store/notices.ts'
import { AllowFor } from './allow-for.tsx'
import './approval.css'
import { Button } from './button.tsx'
import { FieldFault } from './field.tsx'
import { focusFirst, focusSoon } from './focus.ts'
import { Icon } from './icon.tsx'
import { phone } from './phone.ts'
import { Preview } from './preview.tsx'
import { SignInGate } from './sign-in-gate.tsx'

const InputGate = lazy(async () => (await import('./input-gate.tsx')).InputGate)

/** A new card ignores clicks and keys for this long: they may be aimed at what was there before. */
const ignoreInputMs = 500

type Props = {
  readonly gate: Waiting
  /** In the queue, the header names the door and the facts name the thread. */
  readonly inQueue?: boolean
  readonly threadTitle?: string
}

export function Approval({ gate, inQueue = false, threadTitle }: Props) {
  const { question, preview, scopes, always } = gate
  const reason = gate.why ?? gate.reason
  const why = reason && printable(reason)
  const title = useId()
  /** Infinity until the card has been drawn. */
  const shownAt = useRef(Number.POSITIVE_INFINITY)
  const step = useSignal<'choose' | 'for' | 'deny'>('choose')
  const word = useSignal('')
  const busy = useSignal<'allow' | 'for' | 'deny' | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  const denying = useRef<HTMLInputElement>(null)
  const card = useRef<HTMLElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const frame = requestAnimationFrame(() => (shownAt.current = Date.now()))
    return () => cancelAnimationFrame(frame)
  }, [])
  // When the card leaves, its focus goes to the composer or the page, never to the next card.
  useLayoutEffect(() => {
    const mine = card.current
    return () => {
      if (mine?.contains(document.activeElement)) focusFirst(...(phone.matches ? [] : ['.composer-text']), '#main')
      if (busy.peek() === undefined) keepWord()
    }
  }, [])
  useLayoutEffect(() => {
    if (step.value === 'deny') denying.current?.focus()
  }, [step.value])
  const choose = (): void => {
    step.value = 'choose'
    focusSoon(`[aria-labelledby="${title}"] .approval-foot .clay`)
  }

  /** The card has left without this word: the gate was answered elsewhere, or the page was left. */
  const keepWord = (): void => {
    const text = step.peek() === 'deny' ? word.peek().trim() : ''
    if (text === '') return
    word.value = ''
    prependDraft(gate.thread_id, text)
    notify('Your word was not sent. It is in the composer of its thread.')
  }
  const isTooSoon = (): boolean => Date.now() - shownAt.current < ignoreInputMs
  const unlessTooSoon = (act: () => void) => (): void => {
    if (!isTooSoon()) act()
  }
  const sendAnswer = async (how: 'allow' | 'for' | 'deny', answer: GateAnswer): Promise<void> => {
    if (busy.value) return
    busy.value = how
    fault.value = undefined
    try {
      await answerGate(gate.thread_id, gate.id, answer)
      word.value = ''
    } catch (error) {
      if (error instanceof ApiFault && error.code === 'gate_closed') {
        notify('This was answered already.')
        keepWord()
      } else fault.value = faultWords(error)
    } finally {
      busy.value = undefined
    }
  }
  const door = doorOf(gate.door)

  return (
    <section class="approval" role="group" aria-labelledby={title} ref={card}>
      <header class="approval-head">
        <Icon name={inQueue ? door.icon : 'waiting'} />
        <span>{inQueue ? sourceWords(gate) : 'Waiting for you'}</span>
        <time dateTime={gate.expires_at} title={exactTime(gate.expires_at)}>
          {leftText(gate.expires_at, now.value)}
        </time>
      </header>
      <div class="approval-body">
        <h2 id={title} class="approval-title">
          {marked(question.text, question.code, (part) => (
            <code>{part}</code>
          ))}
        </h2>
        <p class="approval-where">
          {marked(question.sentence, question.host, (part) => (
            <strong>{part}</strong>
          ))}
        </p>
        {gate.kind === 'approval' && <Preview preview={preview} name={gate.name} />}
        <dl class="facts">
          {inQueue && (
            <>
              <dt>Thread</dt>
              <dd>
                <a class="link" href={`/threads/${gate.thread_id}`}>
                  {threadTitle === undefined ? 'Open the thread' : printable(threadTitle)}
                </a>
              </dd>
            </>
          )}
          {gate.secrets && gate.secrets.length > 0 && (
            <>
              <dt>Signs in with</dt>
              <dd>
                <code>{printable(gate.secrets.join(', '))}</code>{' '}
                <span class="quiet">(added on the way out; the agent never sees it)</span>
              </dd>
            </>
          )}
          {why && (
            <>
              <dt>Why you are asked</dt>
              <dd>{why}</dd>
            </>
          )}
        </dl>
        {fault.value !== undefined && <FieldFault words={fault.value} />}
      </div>
      {gate.input ? (
        <InputGate gate={gate} input={gate.input} isTooSoon={isTooSoon} />
      ) : gate.kind === 'credential' ? (
        <SignInGate gate={gate} />
      ) : step.value === 'deny' ? (
        <form
          class="approval-foot"
          onSubmit={(event) => {
            event.preventDefault()
            const text = word.value.trim()
            void sendAnswer('deny', { action: 'deny', ...(text && { word: text }) })
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            event.preventDefault()
            choose()
          }}
        >
          <input
            class="input"
            aria-label="Word to the agent"
            placeholder="A word to the agent, if you like"
            maxLength={maxGateWordChars}
            value={word.value}
            ref={denying}
            onInput={(event) => (word.value = event.currentTarget.value)}
          />
          <Button kind="quiet" onClick={choose}>
            Cancel
          </Button>
          <Button kind="clay" type="submit" busy={busy.value === 'deny'}>
            Deny
          </Button>
        </form>
      ) : (
        <div class="approval-foot">
          <Button
            kind="primary"
            busy={busy.value === 'allow'}
            onClick={unlessTooSoon(() => void sendAnswer('allow', { action: 'approve' }))}
          >
            Allow once
          </Button>
          <div class="allow-for-place">
            <Button
              popup="dialog"
              expanded={step.value === 'for'}
              disabled={!always}
              {...(!always && why && { title: why })}
              buttonRef={opener}
              onClick={unlessTooSoon(() => (step.value = step.value === 'for' ? 'choose' : 'for'))}
            >
              Allow for…
              <Icon name="down" />
            </Button>
            {step.value === 'for' && (
              <AllowFor
                name={gate.name}
                scopes={scopes}
                busy={busy.value === 'for'}
                onClose={() => {
                  step.value = 'choose'
                  opener.current?.focus()
                }}
                onLeave={() => (step.value = 'choose')}
                onAllow={(grantRequest) => void sendAnswer('for', { action: 'always', ...grantRequest })}
              />
            )}
          </div>
          <span class="approval-space" />
          <Button kind="clay" onClick={unlessTooSoon(() => (step.value = 'deny'))}>
            Deny…
          </Button>
        </div>
      )}
    </section>
  )
}

/** Without an answer, or after a fault of the service, nobody knows here whether the call runs. */
function faultWords(error: unknown): string {
  const refused = error instanceof ApiFault && error.status >= 400 && error.status < 500
  return refused ? `${faultText(error)} Nothing has run.` : faultText(error)
}

/** A text with the last occurrence of one part wrapped by `look`; both printable. */
function marked(
  raw: string,
  rawPart: string | undefined,
  look: (part: string) => ComponentChildren,
): ComponentChildren {
  const [text, part] = [printable(raw), rawPart && printable(rawPart)]
  const at = part ? text.lastIndexOf(part) : -1
  return part && at >= 0 ? [text.slice(0, at), look(part), text.slice(at + part.length)] : text
}

function sourceWords({ door, sender }: Waiting): string {
  const { label } = doorOf(door)
  return `From the ${label === 'API' ? label : label.toLowerCase()}${sender === undefined ? '' : `, user ${printable(sender)}`}`
}
