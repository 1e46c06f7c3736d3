// Runs the real `atrium` on a terminal of its own, made by script(1): what is typed, what is shown, how it ends.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TestContext } from 'node:test'

const launcher = fileURLToPath(new URL('../bin/atrium', import.meta.url))
const script = ['/usr/bin/script', '/bin/script'].find((path) => existsSync(path))

/** For tests that need a terminal. */
export const onTerminal = script === undefined ? { skip: 'script(1) is not installed' } : {}

export type Terminal = {
  /** All that was shown so far. */
  shown(): string
  /** Resolves once this was shown, after what an earlier wait has seen. */
  until(text: string): Promise<void>
  type(text: string): void
  /** The exit code. */
  readonly ended: Promise<number | null>
}

export function openTerminal(
  t: TestContext,
  home: string,
  { args, env = {} }: { args: readonly string[]; env?: Record<string, string> },
): Terminal {
  // A shell in between would get the signal of Ctrl+C too, and end with its own code.
  const command = `exec ${[launcher, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')}`
  const child = spawn(script ?? '', ['-qefc', command, '/dev/null'], {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ATRIUM_HOME: home, TERM: 'xterm', GATEWAY_PORT: '0', ...env },
    stdio: 'pipe',
  })
  t.after(() => child.kill('SIGKILL'))
  let shown = ''
  let seen = 0
  let look = (): void => {}
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk
    look()
  })
  child.stdin.on('error', () => {})
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve)
  })
  return {
    shown: () => shown,
    until: (text) =>
      new Promise((resolve, reject) => {
        look = () => {
          const at = shown.indexOf(text, seen)
          if (at < 0) return
          seen = at + text.length
          resolve()
        }
        look()
        void ended.then((code) => reject(new Error(`it ended with ${code} before "${text}":\n${shown}`)))
      }),
    type: (text) => child.stdin.write(text),
    ended,
  }
}
