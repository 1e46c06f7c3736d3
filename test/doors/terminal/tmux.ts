// The real `atrium` on a real terminal: tmux types and reads the screen. One server for a test file, on a socket of its
// own, ended with it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '../../until.ts'
import { openTmuxClient, type TmuxCommand } from './tmux-client.ts'

/** The launcher of this checkout. */
export const launcher = fileURLToPath(new URL('../../../bin/atrium', import.meta.url))

/** For tests that need tmux. A build machine has it; elsewhere it is said that they did not run. */
export function needsTmux(): { skip?: string } {
  try {
    execFileSync('tmux', ['-V'])
    return {}
  } catch {
    assert(!process.env['CI'], 'tmux is not installed: the tests of the terminal UI cannot run')
    return { skip: 'tmux is not installed: apt-get install tmux' }
  }
}

export type Screen = {
  /** Keys by tmux's names, one after the other. */
  keys(...keys: string[]): Promise<void>
  /** Letters as they are. */
  type(text: string): Promise<void>
  /** What a terminal would send, as bytes. */
  raw(text: string): Promise<void>
  /** A text as it is pasted. */
  paste(text: string): Promise<void>
  /** The rows of the screen. */
  rows(): Promise<string[]>
  /** The rows with their colours. */
  styled(): Promise<string>
  /** Waits until the screen shows this; the screen then. */
  shows(what: RegExp): Promise<string>
  /** Waits until it does not. */
  hides(what: RegExp): Promise<string>
  /** Presses Esc once the screen shows what it closes, and waits until that is gone: a key right behind would be read with it. */
  escape(what: RegExp): Promise<void>
  resize(columns: number, rows: number): Promise<void>
  /** A fact of the pane, as tmux names it. */
  fact(name: string): Promise<string>
}

export type Tmux = {
  open(options: { columns?: number; rows?: number; command?: string; env: Record<string, string> }): Promise<Screen>
  end(): void
}

export function startTmux(): Tmux {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-tmux-'))
  const socket = join(folder, 'socket')
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TERM: 'xterm-256color', LANG: 'C.UTF-8' }
  /** Started with the first screen: one that starts while it is ended would stay. */
  let tmux: TmuxCommand | undefined
  let opened = 0
  return {
    async open({ columns = 80, rows = 24, command = quoted(launcher), env: own }) {
      const name = `s${opened++}`
      const words = Object.entries({ PATH: env.PATH, HOME: folder, LANG: 'C.UTF-8', ...own }).map(
        ([key, value]) => `${key}=${quoted(value)}`,
      )
      // The shell stays, so that the terminal can be looked at after the program has ended; $ended has its exit code.
      const line = `env -i TERM="$TERM" ${words.join(' ')} ${command}; export ended=$?; echo "ended with $ended"; exec sh -i`
      tmux ??= openTmuxClient(socket, env)
      await tmux(
        'new-session',
        '-d',
        '-s',
        name,
        '-x',
        String(columns),
        '-y',
        String(rows),
        `PS1='after> ' ; export PS1; ${line}`,
      )
      // A lone Esc is not the beginning of something else, and keys have both encodings.
      if (opened === 1) {
        await tmux('set', '-s', 'escape-time', '0')
        await tmux('set', '-s', 'extended-keys', 'on')
        // Also where these tests are killed, and nobody ends it.
        await tmux('set', '-s', 'exit-unattached', 'on')
      }
      return screenOf(tmux, name)
    },
    end() {
      try {
        if (tmux) execFileSync('tmux', ['-S', socket, 'kill-server'], { env })
      } catch {
        // It has ended with its last session.
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function screenOf(tmux: TmuxCommand, name: string): Screen {
  const rows = async (): Promise<string[]> => (await tmux('capture-pane', '-p', '-t', name)).split('\n')
  async function wait(what: RegExp, wanted: boolean): Promise<string> {
    let text = ''
    try {
      await until(async () => what.test((text = (await rows()).join('\n'))) === wanted)
    } catch (error) {
      throw new Error(`the screen ${wanted ? 'does not show' : 'still shows'} ${what}:\n${text}`, { cause: error })
    }
    return text
  }
  return {
    keys: async (...keys) => void (await tmux('send-keys', '-t', name, ...keys)),
    type: async (text) => void (await tmux('send-keys', '-t', name, '-l', text)),
    raw: async (text) => void (await tmux('send-keys', '-t', name, '-H', ...bytesOf(text))),
    async paste(text) {
      await tmux('set-buffer', '-b', name, text)
      await tmux('paste-buffer', '-p', '-b', name, '-t', name)
    },
    rows,
    styled: () => tmux('capture-pane', '-p', '-e', '-t', name),
    shows: (what) => wait(what, true),
    hides: (what) => wait(what, false),
    async escape(what) {
      await wait(what, true)
      await tmux('send-keys', '-t', name, 'Escape')
      await wait(what, false)
    },
    async resize(columns, height) {
      await tmux('resize-window', '-t', name, '-x', String(columns), '-y', String(height))
    },
    fact: async (fact) => (await tmux('display-message', '-p', '-t', name, `#{${fact}}`)).trim(),
  }
}

function bytesOf(text: string): string[] {
  return [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, '0'))
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
