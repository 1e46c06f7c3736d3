// A list, and the detail of its chosen row beside it. A phone shows one of them at a time.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { focusFirst } from './focus.ts'
import { Icon } from './icon.tsx'
import './two-steps.css'

type Props = {
  readonly list: ComponentChildren
  /** A row is chosen: a phone shows its detail. */
  readonly open: boolean
  /** The way back to the list on a phone: an address, or what leads there. */
  readonly back: string | (() => void)
  /** The words of the way back: "All tools". */
  readonly all: string
  /** The class of its columns. */
  readonly look?: string
  /** The detail. */
  readonly children: ComponentChildren
}

export function TwoSteps({ list, open, back, all, look, children }: Props) {
  useStepFocus(open)
  const words = (
    <>
      <Icon name="right" />
      {all}
    </>
  )
  return (
    <div class={['two-steps', look, open && 'open'].filter(Boolean).join(' ')}>
      <div class="step-list">{list}</div>
      <div class="step-detail">
        {typeof back === 'string' ? (
          <a class="step-back" href={back}>
            {words}
          </a>
        ) : (
          <button type="button" class="step-back" onClick={back}>
            {words}
          </button>
        )}
        {children}
      </div>
    </div>
  )
}

/** On a phone the list and the detail take each other's place: the focus goes along, and back to the row. */
function useStepFocus(open: boolean): void {
  const row = useRef<Element>(undefined)
  useLayoutEffect(() => {
    const hidden = document.activeElement
    if (!hidden || hidden.checkVisibility()) return
    if (open) {
      row.current = hidden
      focusFirst('.step-back')
    } else if (row.current instanceof HTMLElement && row.current.isConnected) row.current.focus()
    else focusFirst('.step-list a, .step-list button')
  }, [open])
}
