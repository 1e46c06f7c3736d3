// The second click of a double click belongs to what the first one pressed. Where the first has put another button in that
// place, such as Stop for Send, or the button of the next row, the second must not press it.

const buttons = 'button, a, [role=option]'

/** `others` are the buttons of the page at that time. */
type Pressed = { readonly button: Element; readonly name: string; readonly others: WeakSet<Element> }

export function guardDoubleClicks(): void {
  let first: Pressed | undefined
  const hear = (event: MouseEvent): void => {
    const button = event.target instanceof Element ? event.target.closest(buttons) : null
    // Keys and scripts press without a count.
    if (event.detail < 2) first = button ? pressed(button) : undefined
    else if (first && button && isAnother(button, first)) {
      event.preventDefault()
      event.stopImmediatePropagation()
    }
  }
  addEventListener('click', hear, { capture: true })
}

function pressed(button: Element): Pressed {
  return { button, name: nameOf(button), others: new WeakSet(document.querySelectorAll(buttons)) }
}

/** A button that was drawn anew, such as the one to the next variant, keeps its name and is the same. */
function isAnother(button: Element, first: Pressed): boolean {
  return button !== first.button && (first.others.has(button) || nameOf(button) !== first.name)
}

function nameOf(button: Element): string {
  return button.getAttribute('aria-label') ?? button.textContent
}
