// The place of a reader in a scrolled box, kept when the box gets another width, as on a phone that is turned.

/** Distances from the upper edge at which an element is looked for: the first may lie between two. */
const probesPx = [1, 16, 32, 64]
/** Too much lies in these to tell a place. */
const coarse = '.transcript, .column, .turn, .turn > article'

export type ReadingPlace = {
  /** Notes what is at the upper edge of the box, once it has scrolled. */
  note(box: Element): void
  /** Scrolls back to it if the box has another width. */
  keep(box: Element): void
}

export function createReadingPlace(): ReadingPlace {
  let width: number | undefined
  /** `part` is how much of the element is above the edge, from 0 to 1. */
  let place: { readonly element: Element; readonly part: number } | undefined
  return {
    note(box) {
      // What is there now, in another width, is not what was read.
      if (width !== undefined && box.clientWidth !== width) return
      const { left, top } = box.getBoundingClientRect()
      const found = probesPx.map((px) => document.elementFromPoint(left + box.clientWidth / 2, top + px))
      const element = found.find((each) => each && box.contains(each) && !each.matches(coarse))
      if (!element) return
      const rect = element.getBoundingClientRect()
      place = { element, part: Math.max(0, Math.min(1, (top - rect.top) / rect.height)) }
    },
    keep(box) {
      const isNew = width !== undefined && box.clientWidth !== width
      width = box.clientWidth
      if (!isNew || !place?.element.isConnected) return
      const { top, height } = place.element.getBoundingClientRect()
      box.scrollTop += top + place.part * height - box.getBoundingClientRect().top
    },
  }
}
