// The terminal at work: what is known, what is focused, and what every key does.
import { setTimeout as pause } from 'node:timers/promises'
import { decodeKittyPrintable, isKeyRelease, matchesKey, type TUI } from '@earendil-works/pi-tui'
import { AppError } from '#core/errors.ts'
import type { OpenGate } from '#core/store.ts'
import { noUsage, type Thread } from '#core/turn.ts'
import { printable } from '#safety/printable.ts'
import type { Desk, DeskStatus } from '#turns/desk.ts'
import { type Blocks, createBlocks } from './blocks.ts'
import { readSaid } from './commands.ts'
import { createComposer } from './composer.ts'
import { createDialog, type Dialog } from './dialog.ts'
import { createDrawing } from './drawing.ts'
import { createFit, drawFrame, type Focus, type View } from './frame.ts'
import { keepFollowing } from './link.ts'
import type { List } from './list.ts'
import { createOpener, type Opener } from './opener.ts'
import { createPanel, panelFrom } from './panel.ts'
import { spinner, type Theme } from './theme.ts'
import { createTranscript } from './transcript.ts'

/** Of a longer thread the end is shown. */
const mostEntries = 20_000
/** How often a spinner turns, and a clock is looked at. */
const tickMs = 120
/** Lists are read again at most so often. */
const refreshMs = 200

export type AppParts = {
  readonly tui: TUI
  readonly desk: Desk
  readonly theme: Theme
  /** Where this terminal works, in words. */
  readonly place: string
  readonly greeting: readonly string[]
  /** Chooses another model; tells what came of it. */
  readonly chooseModel: (provider: string, name: string | undefined) => Promise<string>
  readonly now: () => number
  readonly quit: () => void
}

export interface App {
  render(width: number): string[]
  press(data: string): void
  /** The thread that is open. */
  threadId(): string | undefined
  close(): void
}

export function createApp({ tui, desk, theme, place, greeting, chooseModel, now, quit }: AppParts): App {
  const ending = new AbortController()
  const sign = (): string => spinner[Math.floor(now() / tickMs) % spinner.length] ?? '⠋'
  const transcript = createTranscript(createDrawing(theme, sign), theme)
  const composer = createComposer(tui, theme)
  const panel = createPanel(theme)
  const fit = createFit(theme)

  let threadId: string | undefined
  let blocks: Blocks = createBlocks(now)
  let watching = new AbortController()
  let focus: Focus = 'composer'
  let notice: string | undefined
  let status: DeskStatus | undefined
  let threads: readonly Thread[] = []
  let gates: readonly OpenGate[] = []
  let dialog: Dialog | undefined
  let list: List | undefined
  /** Gates that were left for later. */
  const later = new Set<string>()
  let awaySince: number | undefined
  let sending: Promise<unknown> = Promise.resolve()

  const redraw = (): void => tui.requestRender()
  const tell = (words: string): void => {
    notice = words
    redraw()
  }
  /** Does something and tells its fault; a bug travels on. */
  const attempt = (work: Promise<unknown>): void => {
    work.then(redraw, (error: unknown) => tell(faultWords(error)))
  }

  const refresh = coalesced(async () => {
    try {
      const [own, id] = [blocks, threadId]
      ;[gates, threads, status] = await Promise.all([desk.gates(), desk.threads(), desk.status()])
      // A turn may have ended while nobody watched.
      const thread = id !== undefined && own.turn() ? await desk.thread(id) : undefined
      if (thread) own.know(thread)
      followGates()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
    redraw()
  })

  /** The dialog is of a gate that is open; one of this thread opens by itself, and takes no key. */
  function followGates(): void {
    const open = (callId: string): boolean => gates.some(({ gate }) => gate.callId === callId)
    if (dialog && !open(dialog.gate.gate.callId)) closeDialog()
    const next = gates.find(({ turn, gate }) => turn.threadId === threadId && !later.has(gate.callId))
    if (!dialog && next) dialog = createDialog(next, { theme, now, asked: false })
  }

  function closeDialog(): void {
    dialog = undefined
    if (focus === 'dialog') focus = 'composer'
  }

  function openThread(id: string | undefined): void {
    watching.abort()
    watching = new AbortController()
    threadId = id
    blocks = createBlocks(now)
    transcript.show(blocks)
    closeDialog()
    followGates()
    if (id !== undefined) attempt(follow(id, blocks, watching.signal))
    redraw()
  }

  async function follow(id: string, own: Blocks, signal: AbortSignal): Promise<void> {
    let from: number | undefined
    await keepFollowing({
      signal,
      async *open(until) {
        const thread = await desk.thread(id)
        if (!thread) throw new AppError('not_found', `thread ${id} does not exist any more`)
        from ??= Math.max(0, thread.lastSeq - mostEntries)
        own.know(thread)
        redraw()
        yield* desk.watch(id, Math.max(from, own.seq), until)
      },
      take(batch) {
        own.apply(batch)
        if (batch.some(({ type }) => type !== 'delta')) refresh()
        redraw()
      },
      lost: () => own.dropPartial(),
    })
  }

  function send(text: string): void {
    const own = blocks
    const work = async (): Promise<void> => {
      try {
        const sent = await desk.send(text, own === blocks ? threadId : undefined)
        if (own === blocks && threadId === undefined) openThread(sent.threadId)
        if (sent.queued && sent.threadId === threadId) blocks.queue(sent.turnId, text)
      } catch (error) {
        // What was not taken is still there to be sent.
        if (composer.empty) composer.set(text)
        throw error
      }
    }
    transcript.toEnd()
    sending = sending.then(work).catch((error: unknown) => tell(`Not sent: ${faultWords(error)}`))
  }

  const opener: Opener = createOpener({
    desk,
    theme,
    now,
    chooseModel,
    show: (next) => {
      list = next
      redraw()
    },
    tell,
    openThread,
    openGate(gate) {
      later.delete(gate.gate.callId)
      dialog = createDialog(gate, { theme, now, asked: true })
      focus = 'dialog'
      redraw()
    },
    threadId: () => threadId,
    lastTurn: () => blocks.lastTurn(),
    quit,
  })

  function submit(): void {
    if (composer.continues()) return composer.newLine()
    const text = composer.text()
    if (text.trim() === '') return
    const said = readSaid(text)
    if (said.type === 'unknown') return tell(`There is no command ${said.word}: /help lists them. Nothing was sent.`)
    composer.take()
    if (said.type === 'message') send(text)
    else attempt(opener.run(said.name, said.rest).then(refresh))
  }

  function answer(open: Dialog, said: NonNullable<ReturnType<Dialog['press']>>): void {
    const { turn, gate } = open.gate
    if (said === 'later') {
      later.add(gate.callId)
      return closeDialog()
    }
    desk.answer(turn.threadId, said).then(refresh, (error: unknown) => {
      if (error instanceof AppError && error.code === 'gate_closed') tell('This was answered already.')
      else open.refuse(faultWords(error))
      refresh()
    })
  }

  /** What has been opened last is left first; then a running turn is stopped. */
  function back(): void {
    if (focus !== 'composer') focus = 'composer'
    else if (blocks.turn()?.status === 'running') attempt(desk.cancel(blocks.turn()?.id ?? ''))
    else if (dialog) answer(dialog, 'later')
    else if (blocks.turn()) attempt(desk.cancel(blocks.turn()?.id ?? ''))
    else transcript.toEnd()
  }

  function nextFocus(step: 1 | -1): void {
    const wide = tui.terminal.columns >= panelFrom
    const order: Focus[] = [
      'composer',
      ...(dialog ? ['dialog' as const] : []),
      'transcript',
      ...(wide ? ['panel' as const] : []),
    ]
    focus = order[(order.indexOf(focus) + step + order.length) % order.length] ?? 'composer'
  }

  function pressComposer(data: string): void {
    if (isNewLine(data)) return composer.newLine()
    if (matchesKey(data, 'enter')) return submit()
    if (matchesKey(data, 'ctrl+p')) return composer.recall(-1)
    if (matchesKey(data, 'ctrl+n')) return composer.recall(1)
    if (matchesKey(data, 'up') && composer.atEdge(-1)) return transcript.scroll(-1)
    if (matchesKey(data, 'down') && composer.atEdge(1)) return transcript.scroll(1)
    if (matchesKey(data, 'ctrl+d') && composer.empty) return quit()
    composer.press(data)
  }

  function pressTranscript(data: string): void {
    if (matchesKey(data, 'up')) transcript.step(-1)
    else if (matchesKey(data, 'down')) transcript.step(1)
    else if (matchesKey(data, 'home')) transcript.scroll(-mostEntries)
    else if (matchesKey(data, 'end')) transcript.toEnd()
    else if (matchesKey(data, 'enter') || matchesKey(data, 'space')) transcript.toggle()
    // Whoever types means the composer.
    else if (isText(data)) {
      focus = 'composer'
      composer.press(data)
    }
  }

  function pressPanel(data: string): void {
    const picked = panel.press(data, view().panelData)
    if (!picked) return
    if ('threadId' in picked) {
      openThread(picked.threadId)
      focus = 'composer'
    } else opener.pick(picked.gate)
  }

  function pressFocused(data: string): void {
    if (list) {
      const done = list.press(data)
      if (done === 'close') list = undefined
      if (done !== 'pass') return
    }
    if (focus === 'dialog' && dialog) {
      const said = dialog.press(data)
      if (said) answer(dialog, said)
    } else if (matchesKey(data, 'escape')) back()
    else if (matchesKey(data, 'pageUp')) transcript.page(-1)
    else if (matchesKey(data, 'pageDown')) transcript.page(1)
    else if (focus === 'transcript') pressTranscript(data)
    else if (focus === 'panel') pressPanel(data)
    else pressComposer(data)
  }

  function view(): View {
    const turn = blocks.turn()
    return {
      title: threads.find(({ id }) => id === threadId)?.title,
      place,
      greeting,
      focus,
      notice,
      runsFor: turn?.status === 'running' ? now() - turn.since : undefined,
      waiting: gates.length,
      awayFor: awaySince === undefined ? undefined : now() - awaySince,
      status,
      usage: blocks.list().length > 0 ? blocks.usage() : noUsage,
      blank: threadId === undefined && blocks.list().length === 0,
      panelData: { gates, threads, current: threadId, now: now(), sign: sign() },
      dialog,
      list,
    }
  }

  const ticking = setInterval(() => {
    if (
      awaySince !== undefined ||
      blocks.turn()?.status === 'running' ||
      threads.some(({ state }) => state === 'running')
    )
      redraw()
  }, tickMs)
  attempt(
    keepFollowing({
      signal: ending.signal,
      async *open(until) {
        for await (const batch of desk.changes(until)) {
          if (awaySince !== undefined) notice = 'The connection is back.'
          awaySince = undefined
          yield batch
        }
      },
      take: refresh,
      lost() {
        if (awaySince === undefined) notice = 'The service has gone away; what was said is kept. Reconnecting.'
        awaySince ??= now()
        redraw()
      },
    }),
  )
  refresh()

  return {
    render: (width) => drawFrame(view(), { theme, transcript, composer, panel, fit }, width, tui.terminal.rows),
    press(data) {
      if (isKeyRelease(data)) return
      if (matchesKey(data, 'ctrl+c')) return quit()
      notice = undefined
      if (matchesKey(data, 'ctrl+l')) {
        transcript.clear()
        tui.requestRender(true)
      } else if (matchesKey(data, 'tab')) nextFocus(1)
      else if (matchesKey(data, 'shift+tab')) nextFocus(-1)
      else pressFocused(data)
      redraw()
    },
    threadId: () => threadId,
    close() {
      clearInterval(ticking)
      ending.abort()
      watching.abort()
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

function faultWords(error: unknown): string {
  if (error instanceof AppError) return printable(error.message)
  throw error
}

/** Runs the work at most once at a time and not too often; what is asked for meanwhile is done once after it. */
function coalesced(work: () => Promise<void>): () => void {
  let state: 'idle' | 'busy' | 'again' = 'idle'
  const run = async (): Promise<void> => {
    await work()
    await pause(refreshMs)
    const again = state === 'again'
    state = again ? 'busy' : 'idle'
    if (again) await run()
  }
  return () => {
    if (state === 'idle') void run()
    state = state === 'idle' ? 'busy' : 'again'
  }
}
