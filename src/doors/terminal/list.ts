// A box that a command opens: a text to read, or rows to pick from.
import { matchesKey, truncateToWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui'
import { boxed, windowOf } from './box.ts'
import type { Theme } from './theme.ts'

export type Row = {
  readonly text: string
  readonly pick: () => void
  /** The effect of Delete. */
  readonly remove?: () => void
}

export type ListContent = { readonly title: string } & (
  | {
      readonly rows: readonly Row[]
      /** The effect of Enter, for the hint. */
      readonly does?: string
      /** Shown when there are no rows. */
      readonly empty: string
    }
  | {
      readonly text: (inside: number) => readonly string[]
      /** Reads the text again, if it may have changed. */
      readonly renew?: () => Promise<void>
    }
)

export interface List {
  readonly title: string
  /** Called when something in the service has changed. */
  readonly renew?: () => Promise<void>
  /** Draws at most `height` lines. */
  render(size: { width: number; height: number }): string[]
  /** Handles a key. Returns `close` when the box was left or a row was picked, `pass` for a key it does not use. */
  press(data: string): 'close' | 'pass' | undefined
}

export function createList(content: ListContent, theme: Theme): List {
  let rows = 'rows' in content ? content.rows : []
  const does = ('rows' in content ? content.does : undefined) ?? 'opens'
  let at = 0
  let from = 0
  let rowsSeen = 1

  function move(by: number): void {
    if (rows.length > 0) at = Math.max(0, Math.min(rows.length - 1, at + by))
    else from = Math.max(0, from + by)
  }

  /** The box stays open: an Esc that is meant to close it would else stop the turn. */
  function remove(row: Row): void {
    row.remove?.()
    rows = rows.filter((each) => each !== row)
    move(0)
  }

  /** The text, wrapped to the width of the box. */
  function textOf(inside: number): string[] {
    const given = 'text' in content ? content.text(inside) : [content.empty]
    return given.flatMap((line) => {
      // Wrapped lines keep the indent of their first line.
      const margin = /^ */.exec(line)?.[0] ?? ''
      const words = line.slice(margin.length).replaceAll('\t', '    ')
      return wrapTextWithAnsi(words, Math.max(1, inside - margin.length)).map((each) => `${margin}${each}`)
    })
  }

  return {
    title: content.title,
    ...('text' in content && content.renew && { renew: content.renew }),
    render({ width, height }) {
      const picks = rows.length > 0
      const inside = width - 4
      const room = Math.max(1, height - 3)
      rowsSeen = room
      const all = picks ? rows.map(({ text }) => truncateToWidth(text, inside, '…', true)) : textOf(inside)
      const seen = windowOf(all, picks ? Math.max(Math.min(from, at), at - room + 1) : from, room)
      from = seen.from
      const lines = seen.lines.map((line, row) => (picks && from + row === at ? theme.chosen(line) : line))
      const scrolls = all.length > room ? '↑↓ scroll  ' : ''
      const removes = rows.some(({ remove }) => remove) ? '  Del removes' : ''
      const hint = theme.dim(picks ? `↑↓ choose  Enter ${does}${removes}  Esc closes` : `${scrolls}Esc closes`)
      return boxed([...lines, hint], width, { title: content.title, border: theme.act })
    },
    press(data) {
      const row = rows[at]
      if (matchesKey(data, 'escape')) return 'close'
      if (matchesKey(data, 'up')) move(-1)
      else if (matchesKey(data, 'down')) move(1)
      else if (matchesKey(data, 'pageUp')) move(-rowsSeen)
      else if (matchesKey(data, 'pageDown')) move(rowsSeen)
      else if (row && matchesKey(data, 'enter')) {
        row.pick()
        return 'close'
      } else if (row?.remove && (matchesKey(data, 'delete') || matchesKey(data, 'backspace'))) remove(row)
      else return 'pass'
      return undefined
    },
  }
}
