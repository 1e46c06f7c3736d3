// Where the focus goes when what had it leaves the page.

/** As `focusFirst`, once the page is drawn anew and where nothing has the focus. */
export function focusSoon(...selectors: readonly string[]): void {
  requestAnimationFrame(() => {
    if (document.activeElement === null || document.activeElement === document.body) focusFirst(...selectors)
  })
}

/** Focuses the first visible thing that one of these selectors finds, the earlier ones before the later; false if none. */
export function focusFirst(...selectors: readonly string[]): boolean {
  const found = selectors.flatMap((selector) => [...document.querySelectorAll<HTMLElement>(selector)])
  const first = found.find((each) => each.checkVisibility())
  first?.focus()
  return first !== undefined
}
