// The child processes of a benchmark and their folders. Both are removed however the benchmark ends.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Question, Ready, Message, Used } from './measured.ts'

const readyMs = 180_000
const replyMs = 30_000

export type Child = Ready & {
  readonly pid: number
  used(): Promise<Used>
  profile(): Promise<void>
  /** The profile since `profile()`, as the text of a .cpuprofile file. */
  profiled(): Promise<string>
  stop(): Promise<void>
}

export type Children = {
  /** Runs a file (by its URL) and waits until it reports that it is ready. */
  start(file: string, ...args: readonly string[]): Promise<Child>
  /** The same for a file that must clean up: it gets SIGTERM at the end, not SIGKILL. */
  startTidy(file: string, ...args: readonly string[]): Promise<Child>
  /** Runs any command, with standard error as it is here or in an open file. The caller waits for it. */
  spawn(
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    errors?: 'inherit' | number,
  ): ChildProcess
  folder(): string
  /** Ends all children but one: those of a suite that is over would go on indexing their threads beside the next one. */
  endAllBut(kept: Child): Promise<void>
}

/** Call once. Children and folders are gone when this process ends, by itself or by a signal. */
export function createChildren(): Children {
  const alive = new Set<ChildProcess>()
  const tidy = new Set<ChildProcess>()
  const folders: string[] = []
  const end = (child: ChildProcess): boolean => child.kill(tidy.has(child) ? 'SIGTERM' : 'SIGKILL')
  process.once('exit', () => {
    for (const child of alive) end(child)
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
    spawn(command, args, env, errors = 'inherit') {
      const { PATH = '' } = process.env
      const child = spawn(command, args, {
        // The caller's settings and keys must not reach the measured process.
        env: { PATH, ...env },
        stdio: ['ignore', 'pipe', errors, 'ipc'],
      })
      alive.add(child)
      child.once('exit', () => alive.delete(child))
      // The child then exits, which ends every wait for it.
      child.on('error', () => child.kill('SIGKILL'))
      return child
    },
    folder() {
      const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
      folders.push(folder)
      return folder
    },
    async endAllBut(kept) {
      const others = [...alive].filter(({ pid }) => pid !== kept.pid)
      const ended = others.map((child) => once(child, 'exit'))
      for (const child of others) end(child)
      await Promise.all(ended)
    },
  }
  return children
}

async function whenReady(child: ChildProcess): Promise<Child> {
  return { ...(await nextMessage(child, 'ready', readyMs)), ...controlsOf(child) }
}

/** Controls of a child that has `measured.ts` loaded. */
export function controlsOf(child: ChildProcess): Omit<Child, keyof Ready> {
  const ask = (question: Question['ask']): void => {
    if (!child.connected) throw new Error(`${label(child)} ended by itself`)
    child.send({ ask: question } satisfies Question)
  }
  return {
    pid: child.pid ?? 0,
    used() {
      ask('use')
      return nextMessage(child, 'used', replyMs)
    },
    async profile() {
      ask('profile')
      await nextMessage(child, 'used', replyMs)
    },
    profiled() {
      ask('profiled')
      return nextMessage(child, 'profile', replyMs)
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

type Messages = { ready: Ready; used: Used; profile: string }

/** The next message of a child with this name. Rejects if the child exits or sends none in time. */
function nextMessage<K extends keyof Messages>(child: ChildProcess, name: K, timeoutMs: number): Promise<Messages[K]> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => done(() => reject(new Error(`${label(child)} sent no ${name} message in time`))),
      timeoutMs,
    )
    const onExit = (): void => done(() => reject(new Error(`${label(child)} ended by itself`)))
    const onMessage = (message: Message): void => {
      if (name in message) done(() => resolve((message as Messages)[name]))
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
