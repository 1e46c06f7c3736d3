// The connection to one MCP server: started when it is first needed, its list read before any call, stopped when idle.
import { AppError } from '#core/errors.ts'
import { orAborted } from '#lib/deadline.ts'
import { createSemaphore } from '#lib/semaphore.ts'
import type { ExactArguments } from './exact-arguments.ts'
import { createConnectClient, type Live, type OpenedTransport } from './connect-client.ts'
import { closedWords, wordsOf } from './connection-faults.ts'
import { createQuestions } from './questions.ts'
import { readList, type ServerList } from './read-list.ts'
import { type CallAnswer, sendCall, type ServerCall } from './server-call.ts'
import { SessionOver } from './session.ts'

const maxCallsAtOnce = 8
const maxRestarts = 3
const restartWindowMs = 60_000

export type ConnectionStatus = {
  readonly status: 'idle' | 'starting' | 'ready' | 'failed' | 'sign_in'
  readonly error?: string
}

export type ConnectionParts = {
  readonly name: string
  readonly openTransport: (exact: ExactArguments) => Promise<OpenedTransport>
  /** Stores a list: of a start, before any call, or one that the server changed. */
  readonly onList: (list: ServerList) => Promise<void>
  readonly callMs: number
  readonly idleMs: number
  readonly version: string
  readonly onError?: (error: Error) => void
  readonly probeMs?: number
  readonly startMs?: number
  readonly now?: () => number
}

export interface Connection {
  status(): ConnectionStatus
  /** Starts the server if needed and reads its list. */
  list(signal: AbortSignal): Promise<ServerList>
  call(call: ServerCall): Promise<CallAnswer>
  /** Stops the server; the next call starts it again. */
  stop(): Promise<void>
}

/** A start under way. */
type Start = { opened?: OpenedTransport; stopped: boolean }

export function createConnection(parts: ConnectionParts): Connection {
  const { name, onList, callMs, idleMs, now = () => performance.now() } = parts
  const places = createSemaphore(maxCallsAtOnce)
  const exact: ExactArguments = new WeakMap()
  const questions = createQuestions()
  const connect = createConnectClient({
    ...parts,
    exact,
    onClose: left,
    reread,
    elicit: (params) => questions.ask(params),
  })
  const callParts = {
    callMs,
    exact,
    questions,
    refusal,
    onSignIn(needed: boolean): void {
      signIn = needed
    },
  }
  let starting: Promise<Live> | undefined
  let underStart: Start | undefined
  let live: Live | undefined
  /** Sessions that the server no longer knows, with calls still under way. */
  const lost = new Set<Live>()
  let ending: Promise<unknown> | undefined
  let restarts: number[] = []
  let lastFault: string | undefined
  let signIn = false
  let idle: NodeJS.Timeout | undefined
  let active = 0

  function ensure(): Promise<Live> {
    if (live) return Promise.resolve(live)
    starting ??= begin().finally(() => {
      starting = undefined
    })
    return starting
  }

  async function begin(): Promise<Live> {
    await ending
    if (lastFault !== undefined && !signIn) {
      restarts = restarts.filter((at) => at > now() - restartWindowMs)
      if (restarts.length >= maxRestarts) {
        throw refusal(`it failed ${maxRestarts + 1} times within a minute and is left alone for a while: ${lastFault}`)
      }
      restarts.push(now())
    }
    const start: Start = { stopped: false }
    underStart = start
    try {
      const made = await connect((opened) => {
        start.opened = opened
        if (start.stopped) throw refusal('it was stopped')
      })
      await storeList(made)
      if (start.stopped) throw refusal('it was stopped')
      if (made.over) throw refusal('it forgot the session while its list was read')
      if (made.closed) throw refusal(made.opened.fault() ?? closedWords)
      // Only now: a call must not overtake the check of the list.
      live = made
      questions.reset()
      lastFault = undefined
      signIn = false
      return made
    } catch (error) {
      const needed = start.opened?.signInFault?.(error)
      signIn = needed !== undefined
      lastFault = wordsOf(error, start.opened)
      await start.opened?.transport.close().catch(() => {})
      throw needed ?? (error instanceof AppError ? error : refusal(lastFault, error))
    } finally {
      underStart = undefined
    }
  }

  /** Stores the list of a start, and each change of it that was announced meanwhile. */
  async function storeList(made: Live): Promise<void> {
    let stored: ServerList
    do {
      stored = made.list
      await onList(stored)
    } while (made.list !== stored)
  }

  /** The server has closed the connection. The next call starts it again. */
  function left(which: Live): void {
    if (live !== which) return
    lastFault = which.opened.fault() ?? closedWords
    live = undefined
    clearTimeout(idle)
    // Processes that it started may still run.
    ending = which.opened.transport.close().catch(() => {})
  }

  /**
   * The server no longer knows the session. Others that use it are refused too and go out again, so it is closed after the
   * last of them.
   */
  function forget(which: Live): void {
    which.over = true
    if (live === which) {
      live = undefined
      clearTimeout(idle)
    }
    if (which.users > 0) {
      lost.add(which)
      return
    }
    lost.delete(which)
    void which.opened.transport.close().catch(() => {})
  }

  async function reread(which: Live): Promise<void> {
    try {
      await refresh(which)
    } catch (error) {
      if (live === which) parts.onError?.(error as Error)
    }
  }

  /** Reads the list again. While that fails, each call tries it first: a list that is out of date allows nothing. */
  async function refresh(which: Live): Promise<void> {
    try {
      which.list = await readList(which.client)
      if (live === which) await onList(which.list)
      which.unread = undefined
      if (live === which) signIn = false
    } catch (error) {
      if (error instanceof SessionOver) {
        forget(which)
        throw error
      }
      const needed = which.opened.signInFault?.(error)
      which.unread = wordsOf(error, which.opened)
      if (live === which) signIn = needed !== undefined
      throw needed ?? (error instanceof AppError ? error : refusal(which.unread, error))
    }
  }

  /** The same for calls, which share a read. An announcement has its own: what is being read may be older. */
  function refreshOnce(which: Live): Promise<void> {
    which.refreshing ??= refresh(which).finally(() => {
      which.refreshing = undefined
    })
    return which.refreshing
  }

  function rest(): void {
    clearTimeout(idle)
    if (active === 0 && live) idle = setTimeout(() => void stop(), idleMs).unref()
  }

  async function using<T>(signal: AbortSignal, work: (made: Live) => Promise<T>): Promise<T> {
    active++
    clearTimeout(idle)
    let made: Live | undefined
    const attempt = async (): Promise<T> => {
      do made = await orAborted(ensure(), signal)
      while (made.over)
      made.users++
      try {
        if (made.unread !== undefined) await orAborted(refreshOnce(made), signal)
        return await work(made)
      } catch (error) {
        made.over ||= error instanceof SessionOver
        throw error
      } finally {
        made.users--
        if (made.over) forget(made)
      }
    }
    try {
      return await attempt().catch((error: unknown) => {
        if (!(error instanceof SessionOver)) throw error
        return attempt()
      })
    } catch (error) {
      throw error instanceof SessionOver ? refusal(wordsOf(error, made?.opened), error) : error
    } finally {
      active--
      rest()
    }
  }

  function refusal(why: string, cause?: unknown): AppError {
    return new AppError('tool_refused', `the MCP server ${name}: ${why}`, { cause })
  }

  async function stop(): Promise<void> {
    clearTimeout(idle)
    if (underStart) {
      underStart.stopped = true
      await underStart.opened?.transport.close().catch(() => {})
    }
    await starting?.catch(() => {})
    const open = live ? [live, ...lost] : [...lost]
    live = undefined
    lastFault = undefined
    if (open.length > 0)
      ending = Promise.all(open.map(({ client, opened }) => client.close().then(() => opened.transport.close())))
    await ending
  }

  return {
    status() {
      if (live?.unread !== undefined && !signIn) return { status: 'failed', error: live.unread }
      if (live) return { status: signIn ? 'sign_in' : 'ready' }
      if (starting) return { status: 'starting' }
      if (signIn) return { status: 'sign_in' }
      return lastFault === undefined ? { status: 'idle' } : { status: 'failed', error: lastFault }
    },
    list: (signal) => using(signal, async ({ list }) => Promise.resolve(list)),
    async call(call) {
      const release = await places.take(call.signal)
      try {
        return await using(call.signal, (made) => sendCall(made, call, { ...callParts, onHold: release }))
      } finally {
        release()
      }
    },
    stop,
  }
}
