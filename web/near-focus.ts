// Keeps the focus near its place when the element that had it leaves the page. Loaded after the first page.
import { phone } from './parts/phone.ts'

type Step = { readonly parent: Element; readonly at: number }

const targets = 'a[href], button, input, select, textarea'
/** What takes away, or answers a gate: a key that is still held would press it. */
const unwanted = ':disabled, .clay, .approval *'

let focused: Element | undefined
/** The places from the focused element up to the page. */
let way: readonly Step[] = []

addEventListener('focusin', ({ target }) => {
  if (!(target instanceof Element)) return
  focused = target
  way = wayOf(target)
})
new MutationObserver(() => {
  if (!focused || focused.isConnected) return
  const lost = way
  focused = undefined
  // Whoever removed it may have a better place.
  requestAnimationFrame(() => requestAnimationFrame(() => document.activeElement === document.body && focusNear(lost)))
}).observe(document.body, { childList: true, subtree: true })

function wayOf(element: Element): Step[] {
  const steps: Step[] = []
  for (let at = element; at.parentElement && at.id !== 'main'; at = at.parentElement) {
    const parent = at.parentElement
    steps.push({ parent, at: [...parent.children].indexOf(at) })
  }
  return steps
}

/** What has come to its place, or the last one there, else the first of what stands around it. */
function focusNear(lost: readonly Step[]): void {
  for (const { parent, at } of lost) {
    if (!parent.isConnected) continue
    // That the whole page has gone is no loss of a place in it.
    if (parent.id === 'main' || !parent.closest('#main')) return
    const next = parent.children[Math.min(at, parent.children.length - 1)]
    const found = (next && firstIn(next)) ?? firstIn(parent)
    // Who has scrolled elsewhere reads there.
    if (found) return found.focus({ preventScroll: true })
  }
}

function firstIn(place: Element): HTMLElement | undefined {
  const inside = [...place.querySelectorAll<HTMLElement>(targets)]
  const all = place instanceof HTMLElement && place.matches(targets) ? [place, ...inside] : inside
  // On a phone the focus of a field opens the keyboard.
  const avoided = phone.matches ? `${unwanted}, input, textarea` : unwanted
  return all.find((each) => !each.matches(avoided) && each.checkVisibility())
}
