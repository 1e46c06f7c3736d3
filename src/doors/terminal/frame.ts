// Draws the screen as rows: header, transcript and panel, open box, composer, status. It changes no state.
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui'
import type { Usage } from '#core/turn.ts'
import type { CostSum } from '#core/usage.ts'
import { costWords, countWords, elapsedWords, isUnknownSum, sumFigure } from '#core/words.ts'
import { proseOf } from '#safety/printable.ts'
import type { OperatorStatus } from '#turns/operator-client.ts'
import { type Attached, attachedLines } from './attachment-list.ts'
import type { Composer } from './composer.ts'
import type { Dialog } from './dialog.ts'
import type { Greeting } from './greeting.ts'
import type { List } from './list.ts'
import type { Offers } from './offers.ts'
import { type Panel, type PanelData, minPanelColumns, panelWidth } from './panel.ts'
import type { Theme } from './theme.ts'
import type { Transcript } from './transcript.ts'

export type Focus = 'composer' | 'dialog' | 'transcript' | 'panel'

/** The state that the screen shows. */
export type View = {
  readonly title: string | undefined
  /** The home or the service that this terminal is attached to, as text for the header. */
  readonly location: string
  readonly focus: Focus
  readonly notice: string | undefined
  /** Milliseconds since the turn began; undefined while none runs. */
  readonly runsFor: number | undefined
  readonly waiting: number
  /** Milliseconds since the connection was lost; undefined while connected. */
  readonly awayFor: number | undefined
  readonly status: OperatorStatus | undefined
  readonly usage: Usage
  readonly blank: boolean
  readonly panelData: PanelData
  readonly dialog: Dialog | undefined
  /** Files attached to the next message. */
  readonly files: readonly Attached[]
  readonly list: List | undefined
}

export type Parts = {
  readonly theme: Theme
  readonly transcript: Transcript
  /** Shown while the thread is empty. */
  readonly greeting: Greeting
  readonly composer: Composer
  readonly offers: Pick<Offers, 'render'>
  readonly panel: Panel
  readonly fit: Fit
}

/** An open box leaves the transcript this many rows, unless the box itself would get fewer than `minOpened`. */
const minTranscript = 2
const minOpened = 8
/** A narrower terminal shows only the left part of the screen. */
const minColumns = 20
const maxNoticeLines = 4
/** Maximum number of cached lines. */
const maxCachedLines = 2_000

/** Draws exactly `rows` rows, none wider than the terminal. */
export function drawFrame(
  view: View,
  { theme, transcript, greeting, composer, offers, panel, fit }: Parts,
  width: number,
  rows: number,
): string[] {
  const columns = Math.max(width, minColumns)
  const wide = columns >= minPanelColumns
  const main = wide ? columns - panelWidth - 1 : columns
  const rule = ruleOf(view, theme)
  const typed = [
    ...(view.focus === 'composer' ? offers.render(columns, rows - minOpened) : []),
    ...attachedLines(view.files, theme),
    ...composer.render(columns, { focused: view.focus === 'composer', hint: hintOf(view) }),
  ]
  const notice = noticeLines(view.notice, theme, columns - 2)
  const foot = wide
    ? [
        rule('─'.repeat(main) + '┴' + '─'.repeat(columns - main - 1)),
        ...notice,
        ...typed,
        statusLine(view, theme, columns),
      ]
    : [...notice, ...typed, rule('─'.repeat(columns)), statusLine(view, theme, columns)]
  const head = [
    headerLine(view, theme, columns),
    rule(wide ? `${'─'.repeat(main)}┬${'─'.repeat(columns - main - 1)}` : '─'.repeat(columns)),
  ]
  const room = Math.max(1, rows - head.length - foot.length)
  const aside = wide && view.list?.title === 'Help' ? view.list : undefined
  const opened = openedBox(view, aside, { width: main, height: openedRows(room) })
  const height = Math.max(0, room - opened.length)
  const asked = view.dialog?.gate.gate.callId
  const seen = view.blank
    ? greeting.render(main, height)
    : transcript.render(main, height, view.focus === 'transcript', asked)
  const body = [...seen, ...opened].slice(0, room)
  const side = wide ? panelLines(view, panel, aside, room) : []
  const bar = theme.dim('│')
  const joined = wide ? body.map((line, row) => `${fit.padded(line, main)}${bar}${side[row] ?? ''}`) : body
  return [...head, ...joined, ...foot].slice(-rows).map((line) => fit.cut(line, width))
}

function openedRows(room: number): number {
  return Math.max(4, room - minTranscript, Math.min(room, minOpened))
}

/** Pads or cuts lines to a width. Cached: measuring is most of a frame's cost, and most lines repeat. */
export type Fit = { padded(line: string, width: number): string; cut(line: string, width: number): string }

export function createFit({ fit }: Theme): Fit {
  const known = new Map<string, string>()
  const remembered = (key: string, make: () => string): string => {
    const before = known.get(key)
    if (before !== undefined) return before
    if (known.size >= maxCachedLines) known.clear()
    const made = make()
    known.set(key, made)
    return made
  }
  return {
    padded: (line, width) => remembered(`p${width} ${line}`, () => truncateToWidth(line, width, '…', true)),
    cut: (line, width) => remembered(`c${width} ${line}`, () => fit(truncateToWidth(line, width, ''))),
  }
}

/** The colour of the rules shows the thread's state: idle, running, waiting, connection lost. */
function ruleOf({ awayFor, panelData, runsFor }: View, { act, sun, clay, dim }: Theme): (line: string) => string {
  if (awayFor !== undefined) return (line) => clay(line.replaceAll('─', '┄'))
  if (panelData.gates.some(({ turn }) => turn.threadId === panelData.current)) return sun
  return runsFor === undefined ? dim : act
}

function headerLine({ title, location, waiting }: View, { bold, dim, sun }: Theme, columns: number): string {
  const right = waiting > 0 ? `${sun('●')} ${waiting} waiting` : ''
  const about = columns >= minPanelColumns ? dim(location) : ''
  const end = [about, right].filter(Boolean).join('  ')
  const start = ` ${bold('▣ Atrium')}  ${title === undefined ? dim('New thread') : proseOf(title)}`
  const room = Math.max(10, columns - visibleWidth(end) - 2)
  return `${truncateToWidth(start, room, '…', true)} ${end}`
}

function statusLine({ status, usage, runsFor, awayFor, panelData }: View, theme: Theme, columns: number): string {
  const { act, clay, dim, sun } = theme
  const tokens = usage.inputTokens + usage.outputTokens
  // A new thread has cost nothing yet: "free" would be about the model.
  const cost = tokens > 0 || usage.costUsd !== 0 ? [costWords(usage.costUsd)] : []
  const left = [proseOf(status?.model ?? '…'), countWords(tokens, 'token'), ...cost]
  const today = todayWords(status?.costToday, usage)
  const away = awayFor !== undefined
  const mark = away ? clay('○') : act('●')
  const link = away ? `reconnecting ${elapsedWords(awayFor)}` : 'connected'
  const here = panelData.gates.some(({ turn }) => turn.threadId === panelData.current)
  const works =
    runsFor === undefined ? [] : [`${act(panelData.sign)} working`, ` ${elapsedWords(runsFor)}`, ', Esc stops']
  // The current activity, in parts; the later parts are left out when there is no room.
  const state = here ? [`${sun('●')} waiting`, ' for you'] : works
  const first = (parts: number): string[] => (state.length === 0 ? [] : [state.slice(0, parts).join('')])
  const help = columns >= minPanelColumns ? `${dim(' · ')}/help` : '  /help'
  const withLink = (parts: readonly string[]): string => `${[...parts, `${mark} ${link}`].join(dim(' · '))}${help}`
  // The mark alone is not joined as a part of its own.
  const short = away ? withLink([]) : `${mark} /help`
  const brief = away ? [] : first(1)
  const working = [...brief, short].join(dim(' · '))
  const rights = [
    withLink(first(state.length)),
    // The header also says that something waits, so that part can go first.
    ...(here ? [withLink([])] : []),
    withLink(first(2)),
    working,
    short,
  ]
  for (const right of rights) {
    // The activity matters more than the cost, so the cost is shortened first.
    for (const words of [[...left, ...today], left, ...(right === working ? [left.slice(0, 1)] : [])]) {
      const line = fitted(` ${dim(words.join(' · '))}`, right, columns)
      if (line !== undefined) return line
    }
  }
  const room = Math.max(4, columns - visibleWidth(short) - 3)
  return `${truncateToWidth(` ${dim(left.join(' · '))}`, room, '…', true)}  ${short}`
}

/** The cost of the day, unless there is none yet. That a cost is unknown is said once. */
function todayWords(today: CostSum | undefined, thread: Usage): string[] {
  if (!today || (today.costUsd === 0 && today.unpricedCalls === 0)) return []
  const { costUsd, unpricedCalls } = today
  if (!isUnknownSum(costUsd, unpricedCalls)) return [`today ${sumFigure(costUsd, unpricedCalls)}`]
  return thread.costUsd === null ? [] : ['cost unknown today']
}

function fitted(left: string, right: string, columns: number): string | undefined {
  const gap = columns - visibleWidth(left) - visibleWidth(right) - 1
  return gap < 2 ? undefined : `${left}${' '.repeat(gap)}${right}`
}

/** The lines of a notice; a long one is truncated to `maxNoticeLines`. */
function noticeLines(notice: string | undefined, { bold }: Theme, width: number): string[] {
  if (notice === undefined) return []
  const lines = wrapTextWithAnsi(notice, width)
  const last = lines.slice(maxNoticeLines - 1).join(' ')
  return [...lines.slice(0, maxNoticeLines - 1), ...(last === '' ? [] : [truncateToWidth(last, width, '…')])].map(
    (line) => ` ${bold(line)}`,
  )
}

function hintOf({ awayFor, dialog, panelData }: View): string {
  if (awayFor !== undefined) return 'Message Atrium; the connection is away, what you write stays here'
  const asks = dialog && dialog.gate.turn.threadId === panelData.current
  return asks ? 'Message Atrium; it waits until the request is answered' : 'Message Atrium'
}

function openedBox(
  { list, dialog, focus }: View,
  aside: List | undefined,
  size: { width: number; height: number },
): string[] {
  if (list && list !== aside) return list.render(size)
  return dialog ? dialog.render(size, focus === 'dialog') : []
}

function panelLines({ panelData, focus }: View, panel: Panel, aside: List | undefined, height: number): string[] {
  const box = aside?.render({ width: panelWidth, height: height - 2 }) ?? []
  const lists = panel.render(panelData, height - box.length, focus === 'panel').map((line) => ` ${line}`)
  const blank = Array.from({ length: Math.max(0, Math.min(1, height - box.length - lists.length)) }, () => '')
  return [...lists, ...(box.length > 0 ? blank : []), ...box]
}
