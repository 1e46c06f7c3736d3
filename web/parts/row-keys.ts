// The keys of every list: arrows, Home and End move between the rows and the search box above them. A row is a link: Enter
// opens it, and in the search box the first one.
import { rowStep } from '../lib/row-step.ts'

/** For the keys pressed inside an element; `rows` selects the links of its rows. */
export function moveInRows(event: KeyboardEvent, rows: string): void {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.isComposing) return
  const around = event.currentTarget as HTMLElement
  const from = event.target as HTMLElement
  const links = [...around.querySelectorAll<HTMLElement>(rows)]
  const box = around.querySelector<HTMLInputElement>('.search input')
  if (event.key === 'Enter' && from === box && box.value.trim() !== '') links[0]?.click()
  const stops = box ? [box, ...links] : links
  const at = stops.indexOf(from)
  const next = at < 0 ? undefined : stops[rowStep(event.key, at, { first: box ? 1 : 0, count: stops.length }) ?? -1]
  if (!next) return
  event.preventDefault()
  next.focus()
}
