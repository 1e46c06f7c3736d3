// The window onto the blocks of a thread: which lines are seen, and which call is under the keys. Only what is near the
// window is drawn, so that a long thread costs no more than a short one.
import type { Block, Blocks, Call, Thought } from './blocks.ts'
import type { Drawing } from './drawing.ts'
import { noRuns, runsOf } from './call-groups.ts'
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
  /** The call under the keys, or the row of calls that begins with it. */
  let chosen: { readonly id: string; readonly row: boolean } | undefined
  let runs = noRuns
  /** Rows of calls that were unfolded. */
  const open = new Set<string>()
  let size = { width: 80, height: 10 }

  const all = (): readonly Block[] => blocks?.list() ?? []
  const linesAt = (index: number): readonly string[] => {
    const block = all()[index]
    if (!block) return []
    const head = runs.heads.get(block.id)
    const own = runs.hidden.has(block.id) && !head ? [] : drawing.lines(block, all()[index - 1], size.width)
    if (!head) return own
    const gap = own.filter((line, at) => at === 0 && line === '')
    return [...gap, drawing.runLine(head, size.width), ...(runs.hidden.has(block.id) ? [] : own.slice(gap.length))]
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

  const indexOf = (id: string): number => all().findIndex((block) => block.id === id)
  const folds = (block: Block | undefined): block is Call | Thought =>
    block?.type === 'call' || block?.type === 'thought'

  /** What can be chosen in a block: the row of calls that it begins, the call or thought itself. */
  function stopsAt(index: number): { id: string; row: boolean }[] {
    const block = all()[index]
    if (!folds(block)) return []
    const { id } = block
    const shown = runs.hidden.has(id) ? [] : [{ id, row: false }]
    return runs.heads.has(id) ? [{ id, row: true }, ...shown] : shown
  }

  /** The line of a block that is under the keys. */
  function chosenLine(index: number): number {
    const at = stopsAt(index).findIndex(({ id, row }) => id === chosen?.id && row === chosen.row)
    return at < 0 ? -1 : linesAt(index).findIndex((line) => line !== '') + at
  }

  return {
    render(width, height, focused) {
      size = { width, height }
      runs = runsOf(all(), open)
      const rows: string[] = []
      for (const { index, row } of seen()) {
        const marked = focused ? chosenLine(index) : -1
        linesAt(index).forEach((line, at) => {
          if (row + at >= 0 && row + at < height) rows[row + at] = at === marked ? theme.chosen(line) : line
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
      // In the order of the lines; what was chosen may be out of sight by now.
      const order = (index: number, row: boolean): number => 2 * index + (row ? 0 : 1)
      const stops = seen().flatMap(({ index }) => stopsAt(index).map((stop) => ({ stop, at: order(index, stop.row) })))
      const now = chosen ? order(indexOf(chosen.id), chosen.row) : -1
      const next = direction < 0 ? stops.findLast(({ at }) => now < 0 || at < now) : stops.find(({ at }) => at > now)
      if (next) chosen = next.stop
      else this.scroll(direction)
    },
    toggle() {
      if (!chosen) return
      const { id, row } = chosen
      const index = indexOf(id)
      const call = all()[index]
      if (!folds(call)) return
      // The line under the reader's hand stays where it is, unless what it opens would be out of sight.
      top = firstLine()
      if (row) {
        if (!open.delete(id)) open.add(id)
      } else {
        const next = { line: 'part', part: 'all', all: 'line' } as const
        const before = linesAt(index).join('\n')
        blocks?.fold(id, next[call.fold])
        // A part that was all of it folds at once.
        if (call.fold === 'part' && linesAt(index).join('\n') === before) blocks?.fold(id, 'line')
      }
      runs = runsOf(all(), open)
      const place = seen().find((each) => each.index === index)
      const end = place ? place.row + linesAt(index).length : 0
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
      open.clear()
      runs = noRuns
    },
    get following() {
      return top === undefined
    },
  }
}
