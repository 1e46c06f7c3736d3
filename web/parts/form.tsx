// A form that runs an asynchronous action on submit, one at a time.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Act } from './act.ts'
import { Button } from './button.tsx'
import './form.css'

type Props = {
  readonly look: string
  readonly name?: string
  readonly act: Act
  /** Runs on submit. A thrown message becomes `act.fault`, and the first invalid field takes the focus. */
  readonly work: () => Promise<void>
  readonly children: ComponentChildren
}

export function Form({ look, name, act: { fault, run }, work, children }: Props) {
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    if (fault.value !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [fault.value])
  return (
    <form
      class={look}
      aria-label={name}
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        void run(work)
      }}
    >
      {children}
    </form>
  )
}

type ButtonsProps = { readonly label: string; readonly act: Act; readonly onCancel: () => void }

/** The submit button of a form, and Cancel. */
export function FormButtons({ label, act: { busy }, onCancel }: ButtonsProps) {
  return (
    <div class="form-buttons">
      <Button kind="primary" type="submit" busy={busy.value}>
        {label}
      </Button>
      <Button kind="quiet" onClick={onCancel}>
        Cancel
      </Button>
    </div>
  )
}
