// The terminal UI: takes the terminal, runs until somebody quits, and gives it back.
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
import { watchOver } from './restore.ts'
import { createTheme, type Shows } from './theme.ts'

export type TerminalParts = Pick<AppParts, 'client' | 'place' | 'greeting' | 'chooseModel' | 'readFile'> & {
  readonly shows: Shows
}

/** Runs until Ctrl+C, /quit or a signal; the thread that was open then. A fault gives the terminal back before it travels on. */
export async function runTerminal({ shows, ...parts }: TerminalParts): Promise<{ threadId: string | undefined }> {
  // The text of a link is somebody else's: where it leads is shown beside it. Pictures are not.
  setCapabilityOverrides({ hyperlinks: false, images: null })
  setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, ownKeys()))
  const sendHome = watchOver()
  const tui = new TuiAltScreen(new ProcessTerminal(), false, undefined, { mouse: false })
  let stop = (_fault?: unknown): void => {}
  const stopped = new Promise<unknown>((resolve) => {
    stop = resolve
  })
  const app = createApp({ ...parts, tui, theme: createTheme(shows), now: Date.now, quit: () => stop() })
  tui.addChild({ render: (width) => app.render(width), invalidate() {} })
  // What was typed before the terminal was taken comes with the first piece of input, however late that is.
  let first = true
  tui.addInputListener((data) => {
    // A terminal that nobody has taken yet turns Enter into a line feed.
    const early = first && data === '\n'
    app.press(early ? '\r' : data)
    return { consume: true }
  })
  const leave = (): void => {
    app.close()
    tui.stop({ preserveScreen: true })
    sendHome()
    process.off('exit', leave)
  }
  const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const
  const onSignal = (): void => stop()
  const onFault = (fault: unknown): void => stop({ fault })
  process.once('exit', leave)
  for (const signal of signals) process.once(signal, onSignal)
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

/** Keys of the library that have other meanings here, or none. */
function ownKeys(): KeybindingsConfig {
  const whole = Object.keys(TUI_KEYBINDINGS).filter((name) => name.startsWith('tui.altScreen.'))
  return Object.fromEntries(whole.map((name) => [name, []]))
}
