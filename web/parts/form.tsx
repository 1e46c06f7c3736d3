// A form whose work is done at the service: Enter and its button begin it, once at a time, and the page stays.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Act } from './act.ts'

type Props = {
  readonly look: string
  readonly name?: string
  readonly act: Act
  /** What it does. Throws what is wrong, in words; the first field that is has the focus then. */
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
