// The processes of a benchmark and the folders they write to. Whatever ends the benchmark ends them, too.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Ask, Ready, Told, Used } from './measured.ts'

const readyMs = 180_000
const answerMs = 30_000

export type Child = Ready & {
  used(): Promise<Used>
  profile(): Promise<void>
  /** The profile since then, as the text of a .cpuprofile file. */
  profiled(): Promise<string>
  stop(): Promise<void>
}

export type Children = {
  /** Runs a file (its URL) until it says that it is ready. */
  start(file: string, ...args: readonly string[]): Promise<Child>
  /** The same for a file that has something to clean up: it is asked to end, not killed. */
  startTidy(file: string, ...args: readonly string[]): Promise<Child>
  /** Runs any command; the caller waits for whatever it does. */
  spawn(command: string, args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess
  folder(): string
}

/** Call once: what is started or made is gone when this process ends, by itself or by a signal. */
export function createChildren(): Children {
  const alive = new Set<ChildProcess>()
  const tidy = new Set<ChildProcess>()
  const folders: string[] = []
  process.once('exit', () => {
    for (const child of alive) child.kill(tidy.has(child) ? 'SIGTERM' : 'SIGKILL')
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

  function startFile(file: string, args: readonly string[]): ChildProcess {
    const path = fileURLToPath(file)
    const child = children.spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path, ...args], {})
    child.stdout?.resume()
    return child
  }

  const children: Children = {
    start: (file, ...args) => whenReady(startFile(file, args)),
    startTidy(file, ...args) {
      const child = startFile(file, args)
      tidy.add(child)
      return whenReady(child)
    },
    spawn(command, args, env) {
      const { PATH = '' } = process.env
      const child = spawn(command, args, {
        // Nothing of the caller's settings and keys reaches what is measured.
        env: { PATH, ...env },
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      })
      alive.add(child)
      child.once('exit', () => alive.delete(child))
      // Whoever waits for the child hears of its end.
      child.on('error', () => child.kill('SIGKILL'))
      return child
    },
    folder() {
      const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
      folders.push(folder)
      return folder
    },
  }
  return children
}

async function whenReady(child: ChildProcess): Promise<Child> {
  return { ...(await told(child, 'ready', readyMs)), ...asks(child) }
}

/** The questions a child with `measured.ts` inside answers. */
export function asks(child: ChildProcess): Omit<Child, keyof Ready> {
  const ask = (question: Ask['ask']): void => {
    if (!child.connected) throw new Error(`${label(child)} ended by itself`)
    child.send({ ask: question } satisfies Ask)
  }
  return {
    used() {
      ask('use')
      return told(child, 'used', answerMs)
    },
    async profile() {
      ask('profile')
      await told(child, 'used', answerMs)
    },
    profiled() {
      ask('profiled')
      return told(child, 'profile', answerMs)
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

type Tale = { ready: Ready; used: Used; profile: string }

/** What a child tells next under a name; fails when it ends or keeps silent. */
function told<K extends keyof Tale>(child: ChildProcess, name: K, withinMs: number): Promise<Tale[K]> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(() => reject(new Error(`${label(child)} told no ${name}`))), withinMs)
    const onExit = (): void => done(() => reject(new Error(`${label(child)} ended by itself`)))
    const onMessage = (message: Told): void => {
      if (name in message) done(() => resolve((message as Tale)[name]))
    }
    function done(settle: () => void): void {
      clearTimeout(timer)
      child.off('exit', onExit).off('message', onMessage)
      settle()
    }
    child.once('exit', onExit).on('message', onMessage)
  })
}

function label({ spawnargs }: ChildProcess): string {
  return spawnargs.join(' ').slice(0, 200)
}
