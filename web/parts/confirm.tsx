// A button for what cannot be undone: it asks for confirmation in a dialog.
import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { useAct } from './act.ts'
import { Button } from './button.tsx'
import './confirm.css'
import type { IconName } from './icon.tsx'
import { Note } from './note.tsx'

type Props = {
  /** The verb on the button: "Remove". */
  readonly label: string
  /** The object, part of the button's name: "billing". */
  readonly of: string
  readonly question: string
  readonly icon?: IconName
  /** Tells what is lost. */
  readonly children: ComponentChildren
  readonly act: () => Promise<void>
}

export function Confirm({ label, of, question, icon, children, act }: Props) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const { busy, fault, run } = useAct()
  const confirm = async (): Promise<void> => {
    await run(async () => {
      await act()
      dialog.current?.close()
    })
  }
  return (
    <>
      <Button
        kind={icon ? 'plain' : 'clay'}
        size="small"
        {...(icon && { icon })}
        popup="dialog"
        onClick={() => dialog.current?.showModal()}
      >
        {label}
        <span class="unseen"> {of}</span>
      </Button>
      <dialog class="confirm" ref={dialog} aria-labelledby={id}>
        <h2 id={id}>{question}</h2>
        <p>{children}</p>
        {fault.value !== undefined && <Note kind="clay">{fault.value}</Note>}
        <div class="confirm-buttons">
          <Button onClick={() => dialog.current?.close()}>Cancel</Button>
          <Button kind="clay" busy={busy.value} onClick={() => void confirm()}>
            {`${label} ${of}`}
          </Button>
        </div>
      </dialog>
    </>
  )
}
