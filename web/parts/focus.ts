// Moves the focus when the element that had it leaves the page.
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/** If the element of this component has the focus when it leaves the page, a match of the selector gets it. */
export function useNextFocus(element: RefObject<HTMLElement | null>, selector: string): void {
  useLayoutEffect(() => {
    const { current } = element
    return () => {
      if (current === document.activeElement) focusSoon(selector)
    }
  }, [])
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
