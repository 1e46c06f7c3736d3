// A sign-in in a browser, begun on the command line: the browser comes back to this process, or its address is pasted.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { environmentVariable } from '#config.ts'
import { AppError } from '#core/errors.ts'
import type { StartedSignIn } from '#core/tool-access.ts'
import { within } from '#lib/deadline.ts'
import { openCallback } from './callback.ts'

const signInMs = 10 * 60_000

export type BrowserSignIn<T> = {
  readonly begin: (redirectUri: string) => Promise<StartedSignIn>
  readonly finish: (returned: string, state: string) => Promise<T>
  /** Opens a browser on this machine. */
  readonly browser: boolean
}

/** Opens the authorization page, and takes the callback URL from the browser or from a paste. */
export async function signInByBrowser<T>({ begin, finish, browser }: BrowserSignIn<T>): Promise<T> {
  const callback = await openCallback()
  const lines = createInterface({ input: process.stdin })
  try {
    const { url, state } = await begin(callback.redirectUri)
    if (browser) openBrowser(url)
    process.stderr.write(
      `Sign in here:\n\n  ${url}\n\nWithout a browser on this machine, open the link elsewhere and paste the address ` +
        'that you are sent to, though it does not load.\n',
    )
    const pasted = new Promise<string>((resolve) => {
      lines.on('line', (line) => {
        if (line.trim() !== '') resolve(line)
      })
    })
    const returned = await within(signInMs, Promise.race([callback.returned(state), pasted]), () => {
      throw new AppError('request_timeout', 'nobody signed in within ten minutes: begin again')
    })
    return await finish(returned, state)
  } finally {
    lines.close()
    process.stdin.destroy()
    callback.close()
  }
}

/** Opens a browser only where there is a display. A failure is ignored, because the link is printed too. */
function openBrowser(url: string): void {
  const screen = environmentVariable('DISPLAY') ?? environmentVariable('WAYLAND_DISPLAY')
  const command = process.platform === 'darwin' ? 'open' : screen === undefined ? undefined : 'xdg-open'
  if (command === undefined) return
  spawn(command, [url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}
