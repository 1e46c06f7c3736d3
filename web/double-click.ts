// The second click of a double click belongs to what the first one pressed. Where the first has put another button in that
// place, such as Stop for Send, the second must not press it.

const buttons = 'button, a, [role=option]'

type Pressed = { readonly button: Element; readonly name: string }

export function guardDoubleClicks(): void {
  let first: Pressed | undefined
  const hear = (event: MouseEvent): void => {
    const button = event.target instanceof Element ? event.target.closest(buttons) : null
    const now = button ? { button, name: nameOf(button) } : undefined
    // Keys and scripts press without a count.
    if (event.detail < 2) first = now
    else if (first && now && now.button !== first.button && now.name !== first.name) {
      event.preventDefault()
      event.stopImmediatePropagation()
    }
  }
  addEventListener('click', hear, { capture: true })
}

/** A button that is drawn anew, such as the one to the next variant, keeps its name. */
function nameOf(button: Element): string {
  return button.getAttribute('aria-label') ?? button.textContent
}
