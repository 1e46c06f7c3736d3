// The window onto the blocks of a thread: which lines are seen, and which call is under the keys. Only what is near the
// window is drawn, so that a long thread costs no more than a short one.
import type { Block, Blocks, Call } from './blocks.ts'
import type { Drawing } from './drawing.ts'
import type { Theme } from './theme.ts'

/** A line of the transcript: a block, and a line within it. */
type Place = { readonly index: number; readonly line: number }

export interface Transcript {
  /** So many lines of this width. */
  render(width: number, height: number, focused: boolean): string[]
  /** Moves by lines, up when negative. Whoever has scrolled up stays where they are when something is said. */
  scroll(lines: number): void
  /** The same by windows. */
  page(windows: number): void
  /** Up and down for whoever is in the transcript: to the next call that can be seen, else by a line. */
  step(direction: -1 | 1): void
  /** Shows more of the chosen call, or less. */
  toggle(): void
  toEnd(): void
  /** Leaves everything above the window, as a shell does. */
  clear(): void
  /** Another thread. */
  show(blocks: Blocks): void
  /** True when the end is in sight. */
  readonly following: boolean
}

export function createTranscript(drawing: Drawing, theme: Theme): Transcript {
  let blocks: Blocks | undefined
  /** The first line in the window; undefined while it follows the end. */
  let top: Place | undefined
  /** Blocks before this one are not shown while it follows. */
  let floor = 0
  let chosen: string | undefined
  let size = { width: 80, height: 10 }

  const all = (): readonly Block[] => blocks?.list() ?? []
  const linesAt = (index: number): readonly string[] => {
    const block = all()[index]
    return block ? drawing.lines(block, all()[index - 1], size.width) : []
  }

  /** So many lines above a place, as far as there are any. */
  function above({ index, line }: Place, count: number): Place {
    let place = { index, line: line - count }
    while (place.line < 0 && place.index > 0) {
      place = { index: place.index - 1, line: place.line + linesAt(place.index - 1).length }
    }
    return { index: place.index, line: Math.max(0, place.line) }
  }

  function below({ index, line }: Place, count: number): Place {
    let place = { index, line: line + count }
    for (let length = linesAt(place.index).length; place.line >= length && place.index < all().length; ) {
      place = { index: place.index + 1, line: place.line - length }
      length = linesAt(place.index).length
    }
    return place
  }

  /** The first line of the window that ends with the end. */
  function endTop(): Place {
    return above({ index: all().length, line: 0 }, size.height)
  }

  /** The first line while it follows the end: what was cleared stays above. */
  function followTop(): Place {
    const place = endTop()
    return place.index < floor ? { index: Math.min(floor, all().length), line: 0 } : place
  }

  function firstLine(): Place {
    if (!top || top.index >= all().length) return followTop()
    return { index: top.index, line: Math.min(top.line, Math.max(0, linesAt(top.index).length - 1)) }
  }

  function moveTo(place: Place): void {
    const end = followTop()
    const reached = place.index > end.index || (place.index === end.index && place.line >= end.line)
    top = reached ? undefined : place
    if (!reached) floor = Math.min(floor, place.index)
  }

  /** The blocks in the window, each with its first row. */
  function seen(): { index: number; row: number }[] {
    const first = firstLine()
    const rows: { index: number; row: number }[] = []
    for (let index = first.index, row = -first.line; row < size.height && index < all().length; index++) {
      const length = linesAt(index).length
      if (row + length > 0) rows.push({ index, row })
      row += length
    }
    return rows
  }

  const isCall = (block: Block | undefined): block is Call => block?.type === 'call'

  return {
    render(width, height, focused) {
      size = { width, height }
      const rows: string[] = []
      for (const { index, row } of seen()) {
        const block = all()[index]
        linesAt(index).forEach((line, at) => {
          const head = focused && isCall(block) && block.id === chosen && line !== '' && isHead(linesAt(index), at)
          if (row + at >= 0 && row + at < height) rows[row + at] = head ? theme.chosen(line) : line
        })
      }
      return Array.from({ length: height }, (_, row) => rows[row] ?? '')
    },
    scroll(count) {
      const first = firstLine()
      moveTo(count < 0 ? above(first, -count) : below(first, count))
    },
    page(windows) {
      this.scroll(windows * Math.max(1, size.height - 2))
    },
    step(direction) {
      const visible = seen()
        .filter(({ index, row }) => isCall(all()[index]) && row + linesAt(index).length > 0)
        .map(({ index }) => index)
      const now = all().findIndex(({ id }) => id === chosen)
      const next =
        direction < 0 ? visible.findLast((index) => now < 0 || index < now) : visible.find((index) => index > now)
      if (next !== undefined) chosen = all()[next]?.id
      else this.scroll(direction)
    },
    toggle() {
      const call = all().find(({ id }) => id === chosen)
      if (!isCall(call)) return
      const next = { line: 'part', part: 'all', all: 'line' } as const
      const whole =
        call.fold === 'part' && !linesAt(all().indexOf(call)).some((line) => line.includes('Enter shows all'))
      // The line under the reader's hand stays where it is, unless what it opens would be out of sight.
      top = firstLine()
      blocks?.fold(call.id, whole ? 'line' : next[call.fold])
      const place = seen().find(({ index }) => all()[index]?.id === call.id)
      const end = place ? place.row + linesAt(place.index).length : 0
      if (place && end > size.height) this.scroll(Math.min(Math.max(0, place.row), end - size.height))
    },
    toEnd() {
      top = undefined
    },
    clear() {
      top = undefined
      floor = all().length
    },
    show(next) {
      blocks = next
      top = undefined
      floor = 0
      chosen = undefined
    },
    get following() {
      return top === undefined
    },
  }
}

/** The line of a call that names it: the first that is not empty. */
function isHead(lines: readonly string[], at: number): boolean {
  return lines.findIndex((line) => line !== '') === at
}
