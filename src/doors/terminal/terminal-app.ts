// The terminal app: joins its parts.
import { isKeyRelease, matchesKey, type TUI } from '@earendil-works/pi-tui'
import { noUsage } from '#core/turn.ts'
import type { OpenGate } from '#core/turn-store.ts'
import type { OperatorClient } from '#turns/operator-client.ts'
import { createKeys, type Keys, type OpenBox } from './app-keys.ts'
import { createApprovals } from './approvals.ts'
import { type Attached, withFile } from './attachment-list.ts'
import { createComposer } from './composer.ts'
import { createConversation } from './conversation.ts'
import { createDrawing } from './drawing.ts'
import { faultWords } from './faults.ts'
import { createFit, drawFrame, type View } from './frame.ts'
import { createGreeting } from './greeting.ts'
import { createNews } from './news.ts'
import { createOffers, type PathOffer } from './offers.ts'
import { createSlashCommands } from './slash-commands.ts'
import { createPanel, minPanelColumns } from './panel.ts'
import { createQueuedEdit } from './queued-edit.ts'
import { createSignInLink } from './sign-in-link.ts'
import { createSubmit, type NextFiles } from './submit.ts'
import { createStepBack } from './step-back.ts'
import { spinner, type Theme } from './theme.ts'
import { createTranscript } from './transcript.ts'

/** Interval at which spinners and elapsed times are redrawn. */
const tickMs = 120

export type AppParts = {
  readonly tui: TUI
  readonly client: OperatorClient
  readonly theme: Theme
  /** The home or the service that this terminal is attached to, as text for the header. */
  readonly location: string
  /** The lines of the first screen, besides the sign-in link. */
  readonly greeting: readonly string[]
  /** A sign-in link for the first screen, which renews it. */
  readonly link?: string | undefined
  /** The thread to open at the start. */
  readonly thread?: string | undefined
  /** Tests and stores a model; `force` stores it without a test. Throws when it does not answer: nothing has changed. */
  readonly chooseModel: (provider: string, name: string | undefined, options: { force: boolean }) => Promise<string>
  /** Reads a file to attach. */
  readonly readFile: (path: string) => Promise<Attached>
  /** Names that begin with a typed path. */
  readonly listPaths: (written: string) => Promise<readonly PathOffer[]>
  readonly now: () => number
  /** Gives the terminal back to the shell, until it continues this process. */
  readonly suspend: () => void
  readonly quit: () => void
}

export interface App {
  render(width: number): string[]
  press(data: string): void
  /** The open thread. */
  threadId(): string | undefined
  close(): void
}

export function createApp({ tui, client, theme, location, readFile, now, quit, suspend, ...parts }: AppParts): App {
  const ending = new AbortController()
  const sign = (): string => spinner[Math.floor(now() / tickMs) % spinner.length] ?? '⠋'
  const transcript = createTranscript(createDrawing(theme, sign, now), theme)
  const composer = createComposer(tui, theme)
  const panel = createPanel(theme)
  const fit = createFit(theme)
  let notice: string | undefined
  const open: OpenBox = { list: undefined }
  const next: NextFiles = { files: [] }

  const redraw = (): void => tui.requestRender()
  const tell = (words: string): void => {
    notice = theme.commands(words)
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
      await open.list?.renew?.()
    },
  })
  const approvals = createApprovals({
    client,
    theme,
    now,
    tell,
    gone() {
      if (keys.focus === 'dialog') keys.focus = 'composer'
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
  /** True while the thread is empty and the greeting replaces the transcript. */
  const blank = (): boolean => conversation.threadId === undefined && conversation.blocks.list().length === 0
  const signIn = createSignInLink({ client, first: parts.link, shown: blank, redraw })
  const greeting = createGreeting({ lines: () => [...signIn.lines(), ...parts.greeting], location }, theme)
  const queuedEdit = createQueuedEdit({ client, composer, tell })
  const skills = (): readonly string[] => news.status?.skills ?? []
  const offers = createOffers({ theme, skills, listPaths: parts.listPaths, redraw })

  function openGate(gate: OpenGate): void {
    approvals.open(gate)
    keys.focus = 'dialog'
    redraw()
  }

  const runCommand = createSlashCommands({
    client,
    theme,
    now,
    chooseModel: parts.chooseModel,
    threadModel: () => conversation.model,
    chooseThreadModel: (model) => conversation.chooseModel(model),
    show: (list) => {
      open.list = list
      redraw()
    },
    tell,
    openThread: conversation.open,
    openGate,
    threadId: () => conversation.threadId,
    lastTurn: () => conversation.blocks.lastTurn(),
    attach: async (path) => {
      next.files = withFile(next.files, await readFile(path))
    },
    attached: () => next.files,
    detach: (file) => {
      next.files = next.files.filter((each) => each !== file)
      redraw()
    },
    queued: () => conversation.blocks.queued(),
    editQueued: (message) => queuedEdit.begin(message),
    attempt,
    quit,
  })

  const submit = createSubmit({
    composer,
    conversation,
    offers,
    queuedEdit,
    skills,
    readFile,
    next,
    runCommand: (name, rest) => attempt(runCommand(name, rest).then(news.refresh)),
    sending() {
      // An open box covers the transcript, and with it the reply.
      open.list = undefined
      transcript.toEnd()
    },
    tell,
    attempt,
  })

  function pressPanel(data: string): void {
    const picked = panel.press(data, view().panelData)
    if (!picked) return
    if ('threadId' in picked) {
      conversation.open(picked.threadId)
      keys.focus = 'composer'
    } else openGate(picked.gate)
  }

  const keys: Keys = createKeys({
    composer,
    transcript,
    greeting,
    approvals,
    offers,
    submit,
    open,
    blank,
    wide: () => tui.terminal.columns >= minPanelColumns,
    pressPanel,
    back: createStepBack({ client, conversation, approvals, transcript, queuedEdit, attempt, tell }),
    clear() {
      transcript.clear()
      tui.requestRender(true)
    },
    quit,
  })

  function view(): View {
    const { blocks, threadId } = conversation
    const { gates, threads, status, awaySince } = news
    const turn = blocks.turn()
    return {
      title: threads.find(({ id }) => id === threadId)?.title,
      location,
      focus: keys.focus,
      notice,
      runsFor: turn?.status === 'running' ? now() - turn.since : undefined,
      waiting: gates.length,
      awayFor: awaySince === undefined ? undefined : now() - awaySince,
      status: status && conversation.model ? { ...status, model: conversation.model } : status,
      usage: blocks.list().length > 0 ? blocks.usage() : noUsage,
      blank: blank(),
      panelData: { gates, threads, current: threadId, now: now(), sign: sign() },
      dialog: approvals.dialog,
      files: next.files,
      list: open.list,
    }
  }

  const ticking = setInterval(() => {
    const runs =
      conversation.blocks.turn()?.status === 'running' || news.threads.some(({ state }) => state === 'running')
    if (runs || news.awaySince !== undefined) redraw()
  }, tickMs)
  attempt(news.follow(ending.signal))
  news.refresh()
  if (parts.thread !== undefined) conversation.open(parts.thread)

  return {
    render: (width) =>
      drawFrame(view(), { theme, transcript, greeting, composer, offers, panel, fit }, width, tui.terminal.rows),
    press(data) {
      if (isKeyRelease(data)) return
      if (matchesKey(data, 'ctrl+c')) return quit()
      if (matchesKey(data, 'ctrl+z')) return suspend()
      notice = undefined
      keys.press(data)
      redraw()
    },
    threadId: () => conversation.threadId,
    close() {
      clearInterval(ticking)
      signIn.close()
      ending.abort()
      conversation.close()
    },
  }
}
