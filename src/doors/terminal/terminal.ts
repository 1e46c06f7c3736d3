// The terminal UI: takes over the terminal, runs until the user quits, and restores it.
import {
  type KeybindingsConfig,
  KeybindingsManager,
  ProcessTerminal,
  setCapabilityOverrides,
  setKeybindings,
  TUI_KEYBINDINGS,
  TuiAltScreen,
} from '@earendil-works/pi-tui'
import { type AppParts, createApp } from './terminal-app.ts'
import { startRestorer } from './restore.ts'
import { createTheme, type Shows } from './theme.ts'

export type TerminalParts = Omit<AppParts, 'tui' | 'theme' | 'now' | 'quit' | 'suspend'> & {
  readonly shows: Shows
  /** The service runs in this process and ends with the terminal. */
  readonly hosts: boolean
  /** Ends it, as a signal of the system does. */
  readonly end?: AbortSignal
}

/** Runs until Ctrl+C, /quit or a signal. Returns the open thread. Throws errors only after restoring the terminal. */
export async function runTerminal({
  shows,
  hosts,
  end: ending,
  ...parts
}: TerminalParts): Promise<{ threadId: string | undefined }> {
  // The text of a link is untrusted, so its address is shown beside it. Pictures are not shown.
  setCapabilityOverrides({ hyperlinks: false, images: null })
  setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, ownKeys()))
  const endRestorer = startRestorer()
  const tui = new TuiAltScreen(new ProcessTerminal(), false, undefined, { mouse: false })
  let stop = (_fault?: unknown): void => {}
  const stopped = new Promise<unknown>((resolve) => {
    stop = resolve
  })
  const suspend = (): void => {
    tui.stop({ preserveScreen: true })
    const service = hosts ? ' The service, which runs in this terminal, is suspended too.' : ''
    process.stdout.write(`\r\u001b[KSuspended; fg brings Atrium back.${service}\n`)
    // The whole group, as the terminal would: launchers in between stop with it. Without a shell that can continue it,
    // the system ignores the signal.
    process.kill(0, 'SIGTSTP')
    setImmediate(() => {
      tui.start()
      tui.requestRender(true)
    })
  }
  const app = createApp({ ...parts, tui, theme: createTheme(shows), now: Date.now, quit: () => stop(), suspend })
  tui.addChild({ render: (width) => app.render(width), invalidate() {} })
  // Keys typed before the terminal was taken over arrive with the first input, however late that is.
  let first = true
  tui.addInputListener((data) => {
    // Before raw mode, the terminal turns Enter into a line feed.
    const early = first && data === '\n'
    app.press(early ? '\r' : data)
    return { consume: true }
  })
  const leave = (): void => {
    app.close()
    tui.stop({ preserveScreen: true })
    endRestorer()
    process.off('exit', leave)
  }
  const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const
  const onSignal = (): void => stop()
  const onFault = (fault: unknown): void => stop({ fault })
  process.once('exit', leave)
  for (const signal of signals) process.once(signal, onSignal)
  ending?.addEventListener('abort', onSignal)
  if (ending?.aborted) stop()
  process.on('uncaughtException', onFault)
  tui.start()
  process.stdin.once('data', () => {
    first = false
  })
  const end = await stopped
  leave()
  for (const signal of signals) process.off(signal, onSignal)
  process.off('uncaughtException', onFault)
  if (end !== undefined) throw (end as { fault: unknown }).fault
  return { threadId: app.threadId() }
}

/** Overrides for key bindings of the library that mean something else here, or nothing. */
function ownKeys(): KeybindingsConfig {
  const whole = Object.keys(TUI_KEYBINDINGS).filter((name) => name.startsWith('tui.altScreen.'))
  return Object.fromEntries(whole.map((name) => [name, []]))
}
