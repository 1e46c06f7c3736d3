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
  /** The button that submits. With `onCancel` the form has its buttons at the end. */
  readonly verb?: string
  /** Closes the form: by the button Cancel, and by Esc unless it `isUnsaved`, a long text. */
  readonly onCancel?: () => void
  readonly isUnsaved?: () => boolean
  readonly children: ComponentChildren
}

export function Form({ look, name, act: { busy, fault, run }, work, verb, children, ...ending }: Props) {
  const { onCancel, isUnsaved = () => false } = ending
  const form = useRef<HTMLFormElement>(null)
  const opener = useRef(document.activeElement)
  useLayoutEffect(() => {
    if (fault.value !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [fault.value])
  const cancel = (): void => {
    onCancel?.()
    focusAgain(opener.current)
  }
  return (
    <form
      class={look}
      aria-label={name}
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        void run(work)
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !onCancel || event.isComposing || isUnsaved()) return
        event.preventDefault()
        cancel()
      }}
    >
      {children}
      {onCancel && (
        <div class="form-buttons">
          <Button kind="primary" type="submit" busy={busy.value}>
            {verb}
          </Button>
          <Button kind="quiet" onClick={cancel}>
            Cancel
          </Button>
        </div>
      )}
    </form>
  )
}

/** Focuses the element after the next drawing, unless another one has the focus then. */
function focusAgain(element: Element | null): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body && element instanceof HTMLElement) element.focus()
  })
}
