// The scrolling window over a thread's blocks: visible lines, and the selected call. Only blocks near the window are
// drawn, so that a long thread costs no more than a short one.
import type { Block, Call, Thought } from './block.ts'
import type { Blocks } from './blocks.ts'
import type { Drawing } from './drawing.ts'
import { noRuns, runsOf } from './call-groups.ts'
import type { Theme } from './theme.ts'

/** The position of a line: the index of its block, and the line within the block. */
type Position = { readonly index: number; readonly line: number }

export interface Transcript {
  /** Draws exactly `height` lines. The dialog of the call that is `asked` for stands for its row. */
  render(width: number, height: number, focused: boolean, asked?: string): string[]
  /** Scrolls by lines, up when negative. After scrolling up the window stays in place when new text arrives. */
  scroll(lines: number): void
  /** Scrolls by windows. */
  page(windows: number): void
  /** Up and Down while focused: selects the next visible call or thought, else scrolls by a line. */
  step(direction: -1 | 1): void
  /** Unfolds or folds the selected call. */
  toggle(): void
  toEnd(): void
  /** Moves everything above the window, as clearing a shell does. */
  clear(): void
  /** Shows another thread. */
  show(blocks: Blocks): void
  /** True while the window follows the end. */
  readonly following: boolean
}

export function createTranscript(drawing: Drawing, theme: Theme): Transcript {
  let blocks: Blocks | undefined
  /** The first visible line; undefined while the window follows the end. */
  let top: Position | undefined
  /** While the window follows the end, blocks before this index are not shown. */
  let floor = 0
  /** The selected call or thought; with `row`, the run of calls that begins with it. */
  let chosen: { readonly id: string; readonly row: boolean } | undefined
  let runs = noRuns
  /** Unfolded runs, by the id of their first call. */
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

  /** The position `count` lines higher, or the first line. */
  function above({ index, line }: Position, count: number): Position {
    let position = { index, line: line - count }
    while (position.line < 0 && position.index > 0) {
      position = { index: position.index - 1, line: position.line + linesAt(position.index - 1).length }
    }
    return { index: position.index, line: Math.max(0, position.line) }
  }

  function below({ index, line }: Position, count: number): Position {
    let position = { index, line: line + count }
    for (let length = linesAt(position.index).length; position.line >= length && position.index < all().length; ) {
      position = { index: position.index + 1, line: position.line - length }
      length = linesAt(position.index).length
    }
    return position
  }

  /** The first visible line when the window shows the end. */
  function endTop(): Position {
    return above({ index: all().length, line: 0 }, size.height)
  }

  /** The first visible line while following the end; cleared blocks stay above. */
  function followTop(): Position {
    const position = endTop()
    return position.index < floor ? { index: Math.min(floor, all().length), line: 0 } : position
  }

  function firstLine(): Position {
    if (!top || top.index >= all().length) return followTop()
    return { index: top.index, line: Math.min(top.line, Math.max(0, linesAt(top.index).length - 1)) }
  }

  function moveTo(position: Position): void {
    const end = followTop()
    const reached = position.index > end.index || (position.index === end.index && position.line >= end.line)
    top = reached ? undefined : position
    if (!reached) floor = Math.min(floor, position.index)
  }

  /** The visible blocks, each with the row of its first line. */
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

  /** The selectable things of a block: the run of calls that it begins, and the call or thought itself. */
  function stopsAt(index: number): { id: string; row: boolean }[] {
    const block = all()[index]
    if (!folds(block)) return []
    const { id } = block
    const shown = runs.hidden.has(id) ? [] : [{ id, row: false }]
    return runs.heads.has(id) ? [{ id, row: true }, ...shown] : shown
  }

  /** The selected line of a block, or -1. */
  function chosenLine(index: number): number {
    const at = stopsAt(index).findIndex(({ id, row }) => id === chosen?.id && row === chosen.row)
    return at < 0 ? -1 : linesAt(index).findIndex((line) => line !== '') + at
  }

  return {
    render(width, height, focused, asked) {
      size = { width, height }
      const { heads, hidden } = runsOf(all(), open)
      runs = { heads, hidden: asked === undefined ? hidden : new Set([...hidden, asked]) }
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
      // Compares by line order, since the selected call may no longer be visible.
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
      // The selected line stays in place, unless the unfolded part would be out of sight.
      top = firstLine()
      if (row) {
        if (!open.delete(id)) open.add(id)
      } else {
        const next = { line: 'part', part: 'all', all: 'line' } as const
        const before = linesAt(index).join('\n')
        blocks?.fold(id, next[call.fold])
        // If `part` already showed everything, skip `all` and fold.
        if (call.fold === 'part' && linesAt(index).join('\n') === before) blocks?.fold(id, 'line')
      }
      runs = runsOf(all(), open)
      const position = seen().find((each) => each.index === index)
      const end = position ? position.row + linesAt(index).length : 0
      if (position && end > size.height) this.scroll(Math.min(Math.max(0, position.row), end - size.height))
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
