// Runs the real `atrium` for tests: one-shot commands, and a service that is stopped and cleaned up.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runsTests } from './after-all-files.ts'
import type { CommandOrder } from './command-process.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const node = [process.execPath, '--disable-warning=ExperimentalWarning'] as const
export const sources = [...node, join(root, 'src', 'main.ts')] as const
/** The bundle that `npm test` has made, which starts in half the time; without it the sources. */
export const mainFile = process.env['TEST_MAIN'] ?? sources[2]
const current = [...node, mainFile] as const
const cache = join(root, 'node_modules', '.cache', 'atrium')
const commandMs = 180_000
/** The process of `atrium()`, and the end of its last command. */
let commands: ChildProcess | undefined
let lastCommand: Promise<unknown> = Promise.resolve()
/** A test that fails may leave its service behind: nothing of a file outlives its last test. */
const running = new Set<ChildProcess>()
/** The system ends a killed process a moment later; until then it writes to its folder. */
const killedMs = 20
// Also of a program that is no test, whatever ends it. Folders are removed by a later listener.
process.once('exit', () => {
  if (running.size === 0) return
  for (const child of running) child.kill('SIGKILL')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, killedMs)
})
if (runsTests) {
  after(async () => {
    const exits = [...running].map((child) => once(child, 'exit'))
    running.forEach((child) => {
      child.ref()
      child.kill('SIGKILL')
    })
    await Promise.all(exits)
  })
}

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** What is run: a file, and the arguments that come first. */
export type Program = readonly [file: string, ...args: string[]]

type Settings = {
  readonly env?: Record<string, string>
  readonly input?: string
  readonly program?: Program
  readonly cwd?: string
}

/**
 * Runs a command on a home and waits for its end. The commands of a test file run in one process, one after the other
 * (test/command-process.ts).
 */
export async function atrium(
  home: string,
  args: readonly string[],
  { env = {}, input = '', cwd = process.cwd() }: Omit<Settings, 'program'> = {},
): Promise<Ran> {
  const before = lastCommand
  const ran = (async (): Promise<Ran> => {
    await before
    const child = (commands ??= startCommands())
    const { promise: ended, resolve, reject } = Promise.withResolvers<Ran>()
    const fail = (): void => reject(new Error(`the command process ended in: atrium ${args.join(' ')}`))
    child.once('message', resolve).once('exit', fail)
    // Its end is waited for as well: else the test would end without a word when it dies.
    child.ref()
    child.channel?.ref()
    child.send({ main: mainFile, args, env: { ...atriumEnv(home), ...env }, input, cwd } satisfies CommandOrder)
    try {
      return await ended
    } finally {
      child.off('message', resolve).off('exit', fail)
      child.unref()
      child.channel?.unref()
    }
  })()
  lastCommand = ran.catch(() => {})
  return ran
}

/** Runs a command in a process of its own: for tests of the process itself, and for commands that run at the same time. */
export function atriumProcess(
  home: string,
  args: readonly string[],
  { env = {}, input = '', program = current, cwd }: Settings = {},
): Promise<Ran> {
  const child = start(program, home, args, { env, cwd })
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk
  })
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
}

export type Serving = {
  readonly pid: number
  /** All it has printed so far. */
  output(): string
  /** The gateway's address, when it is open. */
  readonly url: string
  signal(name: NodeJS.Signals): void
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>
  stop(): Promise<number | string | null>
}

/** Starts `atrium serve` on free ports and waits until it is ready. */
export async function serve(
  home: string,
  env: Record<string, string> = {},
  program: Program = current,
): Promise<Serving> {
  const child = start(program, home, ['serve'], { env: { GATEWAY_PORT: '0', HTTP_PORT: '0', ...env } })
  let output = ''
  // Once it is, a long output is not searched again with each piece.
  let ready = false
  const ended = new Promise<number | string | null>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? code))
  })
  await new Promise<void>((resolve, reject) => {
    const look = (chunk: string): void => {
      output += chunk
      if (!ready && output.includes('is ready')) resolve()
    }
    child.stdout?.setEncoding('utf8').on('data', look)
    child.stderr?.setEncoding('utf8').on('data', look)
    void ended.then(() => reject(new Error(`atrium serve ended early:\n${output}`)))
  })
  ready = true
  return {
    pid: child.pid ?? 0,
    output: () => output,
    url: /gateway\s+(http:\S+)/.exec(output)?.[1] ?? '',
    signal: (name) => child.kill(name),
    ended,
    stop() {
      child.kill('SIGTERM')
      return ended
    },
  }
}

function start(
  [file, ...first]: Program,
  home: string,
  args: readonly string[],
  { env, cwd }: { env: Record<string, string>; cwd?: string | undefined },
): ChildProcess {
  const child = spawn(file, [...first, ...args], {
    env: { ...atriumEnv(home), ...env },
    cwd,
    stdio: 'pipe',
    ...(args[0] === 'serve' ? {} : { timeout: commandMs }),
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}

function startCommands(): ChildProcess {
  const [file, ...flags] = node
  const child = spawn(file, [...flags, join(import.meta.dirname, 'command-process.ts')], {
    env: { NODE_COMPILE_CACHE: cache },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  // A program that is no test may end while it is there; it then ends too.
  child.unref()
  running.add(child)
  child.once('exit', () => {
    running.delete(child)
    commands = undefined
  })
  return child
}

/** The environment of `atrium` on a home. */
export function atriumEnv(home: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: cache, HOME: home, ATRIUM_HOME: home }
}
