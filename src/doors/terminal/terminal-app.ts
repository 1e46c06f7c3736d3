// The terminal app: joins its parts, and decides the focus and the effect of every key.
import { decodeKittyPrintable, isKeyRelease, matchesKey, type TUI } from '@earendil-works/pi-tui'
import { noUsage } from '#core/turn.ts'
import { countWords } from '#core/words.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import { type Attached, withFile } from './attachment-list.ts'
import { createApprovals } from './approvals.ts'
import { completionsOf, readTyped } from './command-list.ts'
import { createComposer } from './composer.ts'
import { createConversation, maxEntries } from './conversation.ts'
import { createDrawing } from './drawing.ts'
import { faultWords } from './faults.ts'
import { createFit, drawFrame, type Focus, type View } from './frame.ts'
import { createGreeting } from './greeting.ts'
import type { List } from './list.ts'
import { createNews } from './news.ts'
import { createSlashCommands, type SlashCommands } from './slash-commands.ts'
import { createPanel, minPanelColumns } from './panel.ts'
import { createQueuedEdit } from './queued-edit.ts'
import { spinner, type Theme } from './theme.ts'
import { createTranscript, type Transcript } from './transcript.ts'

/** Interval at which spinners and elapsed times are redrawn. */
const tickMs = 120

export type AppParts = {
  readonly tui: TUI
  readonly client: OperatorClient
  readonly theme: Theme
  /** The home or the service that this terminal is attached to, as text for the header. */
  readonly location: string
  readonly greeting: readonly string[]
  /** Tests and stores a model; `force` stores it without a test. Throws when it does not answer: nothing has changed. */
  readonly chooseModel: (provider: string, name: string | undefined, options: { force: boolean }) => Promise<string>
  /** Reads a file to attach. */
  readonly readFile: (path: string) => Promise<Attached>
  readonly now: () => number
  readonly quit: () => void
}

export interface App {
  render(width: number): string[]
  press(data: string): void
  /** The open thread. */
  threadId(): string | undefined
  close(): void
}

export function createApp({ tui, client, theme, location, chooseModel, readFile, now, quit, ...parts }: AppParts): App {
  const ending = new AbortController()
  const sign = (): string => spinner[Math.floor(now() / tickMs) % spinner.length] ?? '⠋'
  const transcript = createTranscript(createDrawing(theme, sign, now), theme)
  const greeting = createGreeting({ greeting: parts.greeting, location }, theme)
  const composer = createComposer(tui, theme)
  const panel = createPanel(theme)
  const fit = createFit(theme)
  let focus: Focus = 'composer'
  let notice: string | undefined
  let list: List | undefined
  let files: readonly Attached[] = []

  const redraw = (): void => tui.requestRender()
  const tell = (words: string): void => {
    notice = words
    redraw()
  }
  /** Shows the error of failed work as a notice. Errors that are no AppError are bugs and stay unhandled. */
  const attempt = (work: Promise<unknown>): void => {
    work.then(redraw, (error: unknown) => tell(faultWords(error)))
  }

  const news = createNews({
    client,
    now,
    tell,
    redraw,
    async refreshed() {
      await conversation.lookAgain()
      approvals.follow(news.gates, conversation.threadId)
    },
  })
  const approvals = createApprovals({
    client,
    theme,
    now,
    tell,
    gone() {
      if (focus === 'dialog') focus = 'composer'
    },
    answered: news.refresh,
  })
  const conversation = createConversation({
    client,
    now,
    attempt,
    opened() {
      transcript.show(conversation.blocks)
      approvals.close()
      approvals.follow(news.gates, conversation.threadId)
      redraw()
    },
    changed({ lists }) {
      if (lists) news.refresh()
      redraw()
    },
  })

  const queuedEdit = createQueuedEdit({ client, composer, tell })

  function send(text: string): void {
    const taken = files
    files = []
    transcript.toEnd()
    conversation.send(text, taken).catch((error: unknown) => {
      // A message that was not sent goes back into the composer, unless the user has typed something else.
      if (composer.empty) {
        composer.set(text)
        files = taken
      }
      tell(`Not sent: ${faultWords(error)}`)
    })
  }

  const slashCommands: SlashCommands = createSlashCommands({
    client,
    theme,
    now,
    chooseModel,
    threadModel: () => conversation.model,
    chooseThreadModel: (model) => conversation.chooseModel(model),
    show: (next) => {
      list = next
      redraw()
    },
    tell,
    openThread: conversation.open,
    openGate(gate) {
      approvals.open(gate)
      focus = 'dialog'
      redraw()
    },
    threadId: () => conversation.threadId,
    lastTurn: () => conversation.blocks.lastTurn(),
    attach: async (path) => {
      files = withFile(files, await readFile(path))
    },
    attached: () => files,
    detach: (file) => {
      files = files.filter((each) => each !== file)
      redraw()
    },
    queued: () => conversation.blocks.queued(),
    editQueued: (message) => queuedEdit.begin(message),
    attempt,
    quit,
  })

  const skillNames = (): readonly string[] => news.status?.skills ?? []
  const completions = (): readonly string[] =>
    focus === 'composer' ? completionsOf(composer.shown(), skillNames()) : []

  /** Completes a slash and some letters to a command or a skill; false when there is nothing to complete. */
  function complete(): boolean {
    const [first] = completions()
    if (first === undefined || composer.shown() === '/') return false
    composer.set(`${first} `)
    return true
  }

  /** The names that Tab can complete to, as a line. */
  function slashHint(): string | undefined {
    const names = completions()
    return names.length > 0 ? `Tab: ${names.join('  ')}` : undefined
  }

  function submit(): void {
    if (composer.continues()) return composer.newLine()
    const text = composer.text()
    if (text.trim() === '') return
    if (queuedEdit.active) return attempt(queuedEdit.save())
    const typed = readTyped(text, skillNames())
    if (typed.type === 'unknown') return tell(`There is no command ${typed.word}: /help lists them. Nothing was sent.`)
    composer.take()
    if (typed.type === 'message') send(text)
    else attempt(slashCommands.run(typed.name, typed.rest).then(news.refresh))
  }

  /** Stops a turn. The messages behind it go on. */
  function stop(turnId: string): void {
    const behind = conversation.blocks.queued().length
    attempt(client.cancel(turnId))
    if (behind > 0)
      tell(
        `Stopped. ${countWords(behind, 'queued message')} ${behind === 1 ? 'goes' : 'go'} on; /stop stops everything.`,
      )
  }

  /** Esc: leaves the focused part, then stops a running turn, hides the dialog, or cancels a waiting turn. */
  function back(): void {
    const turn = conversation.blocks.turn()
    if (focus !== 'composer') focus = 'composer'
    else if (queuedEdit.active) queuedEdit.leave()
    else if (turn?.status === 'running') stop(turn.id)
    else if (approvals.dialog) approvals.later()
    else if (turn) attempt(client.cancel(turn.id))
    else transcript.toEnd()
  }

  function nextFocus(step: 1 | -1): void {
    const wide = tui.terminal.columns >= minPanelColumns
    const order: Focus[] = [
      'composer',
      ...(approvals.dialog ? ['dialog' as const] : []),
      'transcript',
      ...(wide ? ['panel' as const] : []),
    ]
    focus = order[(order.indexOf(focus) + step + order.length) % order.length] ?? 'composer'
  }

  /** True while the thread is empty and the greeting replaces the transcript. */
  const blank = (): boolean => conversation.threadId === undefined && conversation.blocks.list().length === 0
  const shown = (): Pick<Transcript, 'scroll' | 'page'> => (blank() ? greeting : transcript)

  function pressComposer(data: string): void {
    if (isNewLine(data)) return composer.newLine()
    if (matchesKey(data, 'enter')) return submit()
    if (matchesKey(data, 'ctrl+p')) return composer.recall(-1)
    if (matchesKey(data, 'ctrl+n')) return composer.recall(1)
    if (matchesKey(data, 'up') && composer.atEdge(-1)) return shown().scroll(-1)
    if (matchesKey(data, 'down') && composer.atEdge(1)) return shown().scroll(1)
    if (matchesKey(data, 'ctrl+d') && composer.empty) return quit()
    composer.press(data)
  }

  function pressTranscript(data: string): void {
    if (matchesKey(data, 'up')) transcript.step(-1)
    else if (matchesKey(data, 'down')) transcript.step(1)
    else if (matchesKey(data, 'home')) transcript.scroll(-maxEntries)
    else if (matchesKey(data, 'end')) transcript.toEnd()
    else if (matchesKey(data, 'enter') || matchesKey(data, 'space')) transcript.toggle()
    // Typed text goes to the composer.
    else if (isText(data)) {
      focus = 'composer'
      composer.press(data)
    }
  }

  function pressPanel(data: string): void {
    const picked = panel.press(data, view().panelData)
    if (!picked) return
    if ('threadId' in picked) {
      conversation.open(picked.threadId)
      focus = 'composer'
    } else slashCommands.pick(picked.gate)
  }

  function pressFocused(data: string): void {
    if (list) {
      const done = list.press(data)
      if (done === 'close') list = undefined
      if (done !== 'pass') return
    }
    if (focus === 'dialog') approvals.press(data)
    else if (matchesKey(data, 'escape')) back()
    else if (matchesKey(data, 'pageUp')) shown().page(-1)
    else if (matchesKey(data, 'pageDown')) shown().page(1)
    else if (focus === 'transcript') pressTranscript(data)
    else if (focus === 'panel') pressPanel(data)
    else pressComposer(data)
  }

  function view(): View {
    const { blocks, threadId } = conversation
    const { gates, threads, status, awaySince } = news
    const turn = blocks.turn()
    return {
      title: threads.find(({ id }) => id === threadId)?.title,
      location,
      focus,
      notice: notice ?? slashHint(),
      runsFor: turn?.status === 'running' ? now() - turn.since : undefined,
      waiting: gates.length,
      awayFor: awaySince === undefined ? undefined : now() - awaySince,
      status: status && conversation.model ? { ...status, model: conversation.model } : status,
      usage: blocks.list().length > 0 ? blocks.usage() : noUsage,
      blank: blank(),
      panelData: { gates, threads, current: threadId, now: now(), sign: sign() },
      dialog: approvals.dialog,
      files,
      list,
    }
  }

  const ticking = setInterval(() => {
    const runs =
      conversation.blocks.turn()?.status === 'running' || news.threads.some(({ state }) => state === 'running')
    if (runs || news.awaySince !== undefined) redraw()
  }, tickMs)
  attempt(news.follow(ending.signal))
  news.refresh()

  return {
    render: (width) =>
      drawFrame(view(), { theme, transcript, greeting, composer, panel, fit }, width, tui.terminal.rows),
    press(data) {
      if (isKeyRelease(data)) return
      if (matchesKey(data, 'ctrl+c')) return quit()
      notice = undefined
      if (matchesKey(data, 'ctrl+l')) {
        transcript.clear()
        tui.requestRender(true)
      } else if (matchesKey(data, 'tab')) {
        if (!complete()) nextFocus(1)
      } else if (matchesKey(data, 'shift+tab')) nextFocus(-1)
      else pressFocused(data)
      redraw()
    },
    threadId: () => conversation.threadId,
    close() {
      clearInterval(ticking)
      ending.abort()
      conversation.close()
    },
  }
}

/** Shift+Enter in both of its encodings, Alt+Enter, Ctrl+J. */
function isNewLine(data: string): boolean {
  return matchesKey(data, 'shift+enter') || matchesKey(data, 'alt+enter') || matchesKey(data, 'ctrl+j')
}

function isText(data: string): boolean {
  return decodeKittyPrintable(data) !== undefined || /^[^\p{Cc}]/u.test(data) || data.startsWith('\u001b[200~')
}
