// The side panel of a wide terminal: open gates and threads.
import { matchesKey, truncateToWidth } from '@earendil-works/pi-tui'
import { doorOf } from '#core/doors.ts'
import type { OpenGate } from '#core/turn-store.ts'
import type { Thread } from '#core/turn.ts'
import { proseOf } from '#safety/printable.ts'
import type { Theme } from './theme.ts'
import { questionLine } from './gate-lines.ts'
import { timeWords } from './format.ts'

export const panelWidth = 36
/** Minimum width of a terminal with a panel, in columns. */
export const minPanelColumns = 110
const maxGates = 8

export type PanelData = {
  readonly gates: readonly OpenGate[]
  readonly threads: readonly Thread[]
  readonly current: string | undefined
  readonly now: number
  readonly sign: string
}

export type Picked = { readonly gate: OpenGate } | { readonly threadId: string }

export interface Panel {
  render(data: PanelData, height: number, focused: boolean): string[]
  /** Handles a key: Up and Down move the selection, Enter picks. */
  press(data: string, shown: PanelData): Picked | undefined
}

export function createPanel(theme: Theme): Panel {
  let at = 0

  const rowsOf = ({ gates, threads }: PanelData): Picked[] => [
    ...gates.slice(0, maxGates).map((gate) => ({ gate })),
    ...threads.map(({ id }) => ({ threadId: id })),
  ]

  function threadLine({ id, door, title, state }: Thread, { gates, current, sign }: PanelData): string {
    const waits = gates.some(({ turn }) => turn.threadId === id)
    const mark = waits
      ? theme.sun('●')
      : state === 'running'
        ? theme.act(sign)
        : state === 'failed'
          ? theme.clay('▲')
          : ' '
    const bar = id === current ? theme.act('▌') : ' '
    const words = truncateToWidth(`${doorOf(door).sign} ${proseOf(title)}`, panelWidth - 6, '…', true)
    return `${bar} ${words} ${mark}`
  }

  return {
    render(data, height, focused) {
      const { gates, threads, now } = data
      at = Math.max(0, Math.min(at, rowsOf(data).length - 1))
      const mark = (line: string, row: number): string => (focused && row === at ? theme.chosen(line) : line)
      const shown = gates.slice(0, maxGates)
      const waiting = shown.map((open, row) => {
        const when = timeWords(open.at, now).replace(' ago', '')
        const room = panelWidth - 5 - when.length
        const words = truncateToWidth(`${doorOf(open.turn.door).sign} ${questionLine(open.gate)}`, room, '…', true)
        return mark(`  ${words} ${theme.dim(when)}`, row)
      })
      const more = gates.length > shown.length ? [theme.dim(`  and ${gates.length - shown.length} more: /waiting`)] : []
      const head = gates.length > 0 ? [theme.sun('Waiting for you'), ...waiting, ...more, ''] : []
      const room = Math.max(0, height - head.length - 1)
      const first = Math.max(0, Math.min(at - shown.length - room + 1, threads.length - room))
      const rows = threads
        .slice(first, first + room)
        .map((thread, row) => mark(threadLine(thread, data), shown.length + first + row))
      const none = threads.length === 0 ? [theme.dim('No threads yet')] : []
      return [...head, theme.bold('Threads'), ...rows, ...none].slice(0, height)
    },
    press(data, shown) {
      const rows = rowsOf(shown)
      if (matchesKey(data, 'up')) at = Math.max(0, at - 1)
      if (matchesKey(data, 'down')) at = Math.min(rows.length - 1, at + 1)
      return matchesKey(data, 'enter') ? rows[at] : undefined
    },
  }
}
