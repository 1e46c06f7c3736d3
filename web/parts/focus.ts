// Moves the focus when the element that had it leaves the page.
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** If the element of this component has the focus when it leaves the page, a match of the selector gets it. */
export function useNextFocus(element: RefObject<HTMLElement | null>, selector: string): void {
  useLayoutEffect(() => {
    const { current } = element
    return () => {
      if (current === document.activeElement) focusSoon(selector)
    }
  }, [])
}

/** On a phone a list and the detail of its chosen row take each other's place: the focus goes along, and back to the row. */
export function useStepFocus(open: boolean): void {
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

/** Calls `focusFirst` after the next drawing, if nothing has the focus then. */
export function focusSoon(...selectors: readonly string[]): void {
  requestAnimationFrame(() => {
    if (document.activeElement === null || document.activeElement === document.body) focusFirst(...selectors)
  })
}

/** Focuses the first visible match of the selectors, tried in order; false if there is none. */
export function focusFirst(...selectors: readonly string[]): boolean {
  const found = selectors.flatMap((selector) => [...document.querySelectorAll<HTMLElement>(selector)])
  const first = found.find((each) => each.checkVisibility())
  first?.focus()
  return first !== undefined
}
