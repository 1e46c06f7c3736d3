// The gate of a server that asks for input: its form, or the page it wants opened, and the answers.
import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { GateAnswer, Input, Waiting } from '#doors/web/wire/gate.ts'
import { printable } from '#safety/printable.ts'
import { ApiFault } from '../api/client.ts'
import { type Entry, firstEntries, valuesOf } from '../lib/form-values.ts'
import { answerGate } from '../store/gates.ts'
import { notify } from '../store/notices.ts'
import { useAct } from './act.ts'
import { Button } from './button.tsx'
import { FieldFault } from './field.tsx'
import { Form } from './form.tsx'
import './input-gate.css'
import { InputField } from './input-field.tsx'

const notSent = 'What you entered was not sent.'

type Props = { readonly gate: Waiting; readonly input: Input; readonly isTooSoon: () => boolean }

/** `isTooSoon` is true until the card could be read: until then it ignores clicks and keys. */
export function InputGate({ gate, input, isTooSoon }: Props) {
  const fields = input.type === 'form' ? input.fields : []
  const entries = useSignal(firstEntries(fields))
  const act = useAct()
  const declining = useAct()
  /** The field that the gateway refused. */
  const wrong = useSignal<string | undefined>(undefined)
  const opened = useSignal(false)
  const isSent = useRef(false)
  useLayoutEffect(() => {
    const untouched = entries.peek()
    // The card has left with what was entered: the gate was answered elsewhere or is over, or the page was left.
    return () => {
      const isSending = act.busy.peek() || declining.busy.peek()
      if (!isSent.current && !isSending && entries.peek() !== untouched) notify(notSent)
    }
  }, [])

  const send = async (answer: GateAnswer): Promise<void> => {
    wrong.value = undefined
    try {
      await answerGate(gate.thread_id, gate.id, answer)
      isSent.current = true
    } catch (error) {
      if (error instanceof ApiFault && error.code === 'gate_closed') {
        isSent.current = true
        return notify(`This was answered already. ${notSent}`)
      }
      if (error instanceof ApiFault) wrong.value = fields.find(({ name }) => error.param === `values.${name}`)?.name
      throw error
    }
  }
  const enter = (name: string) => (entry: Entry) => {
    entries.value = new Map(entries.value).set(name, entry)
  }
  const faultOf = (name: string): string | undefined => (wrong.value === name ? act.fault.value : undefined)
  const fault = (wrong.value === undefined ? act.fault.value : undefined) ?? declining.fault.value

  return (
    <Form
      look="input-gate"
      name={printable(gate.question.brief)}
      act={act}
      work={async () => {
        if (!isTooSoon()) await send({ action: 'answer', values: valuesOf(fields, entries.value) })
      }}
    >
      <div class="input-gate-body">
        <blockquote class="input-gate-message" cite={input.server}>
          {printable(input.message, { lines: true })}
        </blockquote>
        {input.type === 'link' && <p class="input-gate-url mono">{printable(input.url)}</p>}
        {fields.map((field) => (
          <InputField
            key={field.name}
            field={field}
            entry={entries.value.get(field.name) ?? ''}
            fault={faultOf(field.name)}
            onEnter={enter(field.name)}
          />
        ))}
        {fault !== undefined && <FieldFault words={fault} />}
      </div>
      <div class="approval-foot">
        {input.type === 'link' && (
          <a
            class="button primary usual"
            href={input.url}
            target="_blank"
            rel="noopener noreferrer"
            onClick={(event) => {
              if (isTooSoon()) event.preventDefault()
              else opened.value = true
            }}
          >
            Open {new URL(input.url).host}
          </a>
        )}
        <Button
          kind={input.type === 'link' ? 'plain' : 'primary'}
          type="submit"
          busy={act.busy.value}
          disabled={input.type === 'link' && !opened.value}
        >
          {input.type === 'link' ? 'I am done' : 'Send'}
        </Button>
        <span class="approval-space" />
        <Button
          kind="clay"
          busy={declining.busy.value}
          onClick={() => {
            if (!isTooSoon()) void declining.run(() => send({ action: 'deny' }))
          }}
        >
          Decline
        </Button>
      </div>
    </Form>
  )
}
