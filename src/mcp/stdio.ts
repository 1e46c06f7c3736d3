// A stdio MCP server as a transport of the client package: its process in a group of its own, without a shell, one JSON
// message a line. The package's own transport probes on a second process, has no group and passes more variables.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Transport } from '@modelcontextprotocol/client'
import { valueIn } from '#core/json.ts'
import { ByteBlocks } from '#lib/byte-blocks.ts'
import { within } from '#lib/deadline.ts'
import { endMarked, kill } from '#lib/marked-processes.ts'
import { maskedStart } from '#lib/masked-start.ts'
import { inPace, nextTurn, pace } from '#lib/pace.ts'
import { hasPipes, pipeFault } from '#lib/pipes.ts'
import { drained } from '#safety/drained.ts'
import { minuteMs } from '#core/time.ts'
import { type ExactArguments, messageText } from './exact-arguments.ts'
import { isMessage, MessageExcess, shortened } from './long-messages.ts'
import { maxMessageBytes } from './message-bounds.ts'
import { markVariable } from './process-mark.ts'
import { takenAnswer } from './taken-answer.ts'

const maxErrorLineChars = 2_000
/** Lines of standard error that go to the log in one minute. */
const maxErrorLines = 100
/** How long a server gets to end by itself once its standard input is closed, and then after SIGTERM. */
const graceMs = 1_000
const termMs = 2_000
/** How long the end of its output is waited for after the process has ended: a grandchild may hold it open. */
const lastWordsSteps = 10
const lastWordsStepMs = 50
/** How long the end of a process is waited for that no longer reads its standard input. */
const maxExitMs = 5_000
/** A longer message is read in pieces. */
const maxAtOnceBytes = 32 * 1024
/** A longer line is no empty one. */
const maxBlankBytes = 1_000
const newline = 0x0a
/** Some servers begin each line with it. */
const byteOrderMark = Buffer.from('\ufeff')

export type StdioParts = {
  readonly command: string
  readonly args: readonly string[]
  /** The whole environment of the server, apart from the mark. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly mark: string
  readonly guard: ExitGuard
  readonly exact: ExactArguments
  /** Masks secrets in lines of standard error. */
  readonly mask: (text: string) => string
  /** Receives lines of standard error, masked, cut and limited in number. */
  readonly onErrorLine: (line: string) => void
  /** Receives what is wrong with a line of standard output. */
  readonly onGarbage: (what: string) => void
  /** Receives the error of a message that could not be handled. The server is stopped then. */
  readonly onFault: (error: unknown) => void
  readonly exitMs?: number
}

/** Ends the process groups of servers when this process exits without stopping them. */
export type ExitGuard = { add(group: number): void; delete(group: number): void }

export function createExitGuard(): ExitGuard {
  const groups = new Set<number>()
  const endAll = (): void => groups.forEach((group) => kill(-group, 'SIGKILL'))
  return {
    add(group) {
      if (groups.size === 0) process.on('exit', endAll)
      groups.add(group)
    },
    delete(group) {
      groups.delete(group)
      if (groups.size === 0) process.off('exit', endAll)
    },
  }
}

/** The names `stderr` and `pid` tell the client package that silence at its probe is that of an older server. */
export type StdioTransport = Transport & {
  readonly pid: number | null
  readonly stderr: null
  /** Why the server ended; undefined while it runs, also while it is being stopped: what it did before is the reason then. */
  readonly ended: () => string | undefined
}

export function createStdioTransport(parts: StdioParts): StdioTransport {
  const { command, args, env, cwd, mark, mask, guard, exact, exitMs = maxExitMs } = parts
  let child: ChildProcessWithoutNullStreams | undefined
  let ended: string | undefined
  let over: Promise<void> | undefined
  let closing: Promise<void> | undefined

  function start(): Promise<void> {
    if (closing) return Promise.reject(new Error('the server was stopped'))
    const started = spawn(command, args, {
      cwd,
      env: { ...env, [markVariable]: mark },
      detached: true,
      stdio: 'pipe',
      windowsHide: true,
    })
    if (!hasPipes(started)) {
      ended = `it could not be started (${pipeFault})`
      return Promise.reject(new Error(ended))
    }
    child = started
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    over = gone.promise
    started.once('spawn', () => {
      if (started.pid !== undefined) guard.add(started.pid)
      resolve()
    })
    started.once('error', (error) => {
      const { code, message } = error as NodeJS.ErrnoException
      const where = command.includes('/')
        ? ''
        : ' on the PATH of Atrium: name it by its whole path, or add its folder to PATH'
      const missing = existsSync(cwd) ? `${command}${where}` : `folder ${cwd} to start it in: set HOME to a folder`
      const why = code === 'ENOENT' ? `: there is no ${missing}` : ''
      ended = `it could not be started (${code ?? message})${why}`
      reject(error)
    })
    // A grandchild may hold the pipes open: the end of the process itself counts.
    started.once('exit', (code, signal) => {
      if (closing) ended ??= 'it was stopped'
      ended ??= signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`
      // Its last words may still be in the pipe.
      void waitForLastWords(silent).then(() => {
        gone.resolve()
        transport.onclose?.()
      })
    })
    for (const stream of [started.stdin, started.stdout, started.stderr]) stream.on('error', () => {})
    const said = readLines(started.stdout, receive, tooLong).catch(unhandled)
    const told = readErrorLines(started.stderr, { mask, onLine: parts.onErrorLine }).catch(() => {})
    const silent = Promise.all([said, told])
    return promise
  }

  /** A promise for a long message, which is read in pieces. */
  function receive(line: Buffer): Promise<void> | undefined {
    if (line.length > maxAtOnceBytes) return receiveLong(line)
    drained(read(line))
    return undefined
  }

  async function receiveLong(line: Buffer): Promise<void> {
    await nextTurn()
    await inPace(read(line))
  }

  function* read(written: Buffer): Generator<void, void> {
    const isMarked = written.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    const line = isMarked ? written.subarray(byteOrderMark.length) : written
    let message: unknown
    try {
      message = (yield* shortened(line)) ?? valueIn(line.toString('utf8'))
    } catch (error) {
      if (error instanceof MessageExcess) {
        refuse(`a message with more than ${error.message}`)
        return
      }
    }
    take(line, message)
  }

  function take(line: Buffer, taken: unknown): void {
    const messages = (Array.isArray(taken) ? (taken as unknown[]) : [taken]).filter(isMessage)
    for (const message of messages) transport.onmessage?.(takenAnswer(message))
    if (messages.length > 0) return
    if (line.length > maxBlankBytes || line.toString('utf8').trim() !== '')
      parts.onGarbage(`a line that is no message (${line.length} bytes)`)
  }

  function tooLong(): void {
    refuse(`a line of more than ${maxMessageBytes / 1024 / 1024} MiB`)
  }

  function unhandled(error: unknown): void {
    // Its pipe is cut once it is stopped.
    if (closing || ended !== undefined) return
    parts.onFault(error)
    refuse('a message that could not be handled')
  }

  function refuse(what: string): void {
    stopBecause(`it sent ${what}`)
  }

  function stopBecause(why: string): void {
    ended ??= `${why} and was stopped`
    void transport.close()
  }

  /** Ends the process, its group, and whatever else carries its mark. */
  async function end(): Promise<void> {
    if (!child || !over) return
    child.stdin.end()
    const isOver = (): true => true
    const waited = over.then(isOver)
    const byItself = await within(graceMs, waited, () => false)
    const group = child.pid === undefined ? undefined : -child.pid
    if (group !== undefined && !byItself) {
      kill(group, 'SIGTERM')
      await within(termMs, waited, () => false)
    }
    if (group !== undefined) kill(group, 'SIGKILL')
    await endMarked(markVariable, (found) => found === mark)
    if (child.pid !== undefined) guard.delete(child.pid)
    if (child.pid !== undefined) await over
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
  }

  const transport: StdioTransport = {
    stderr: null,
    get pid() {
      return child?.pid ?? null
    },
    ended: () => ended,
    start,
    async send(message) {
      if (!child || !over || closing || ended !== undefined) throw new Error('the server has ended')
      const { promise: written, resolve } = Promise.withResolvers<Error | null | undefined>()
      child.stdin.write(`${messageText(message, exact)}\n`, resolve)
      const fault = await Promise.race([written, over])
      if (!fault) return
      // The pipe of a process that ends breaks before its exit is known, which says why.
      await within(exitMs, over, () => stopBecause('it closed its standard input'))
      throw new Error('the server has ended', { cause: fault })
    },
    close() {
      closing ??= end()
      return closing
    },
  }
  return transport
}

/** In steps: a busy event loop reads between them, where one long wait would be over before its next turn. */
export async function waitForLastWords(drained: Promise<unknown>, stepMs = lastWordsStepMs): Promise<void> {
  const isDrained = drained.then(() => true)
  for (let step = 0; step < lastWordsSteps; step++) if (await within(stepMs, isDrained, () => false)) return
}

/**
 * Cuts a stream into lines, and yields to the event loop between them: a server may write without end. Calls `tooLong` for
 * a line over the bound, and reads no further.
 */
async function readLines(
  stream: AsyncIterable<Buffer>,
  onLine: (line: Buffer) => Promise<void> | undefined,
  tooLong: () => void,
): Promise<void> {
  const line = new ByteBlocks()
  for await (const chunk of stream) {
    for (let from = 0; from < chunk.length; ) {
      const at = chunk.indexOf(newline, from)
      line.add(chunk.subarray(from, at < 0 ? chunk.length : at))
      if (line.size > maxMessageBytes) return tooLong()
      if (at < 0) break
      from = at + 1
      await onLine(line.take())
      await pace()
    }
  }
}

type ErrorLines = { readonly mask: (text: string) => string; readonly onLine: (line: string) => void }

/** Cuts standard error into lines of bounded length and number, and yields to the event loop between its chunks. */
export async function readErrorLines(stream: AsyncIterable<Buffer>, { mask, onLine }: ErrorLines): Promise<void> {
  let rest = ''
  let [minute, count] = [0, 0]
  const tell = (line: string): void => {
    if (line.trim() === '') return
    const now = Math.floor(performance.now() / minuteMs)
    if (now !== minute) [minute, count] = [now, 0]
    if (++count <= maxErrorLines) onLine(maskedStart(line, maxErrorLineChars, mask))
    else if (count === maxErrorLines + 1) onLine('[more lines follow; they are left out for a minute]')
  }
  for await (const chunk of stream) {
    const lines = (rest + chunk.toString('utf8')).split('\n')
    rest = (lines.pop() ?? '').slice(0, 2 * maxErrorLineChars)
    for (const line of lines) tell(line)
    await pace()
  }
  tell(rest)
}
