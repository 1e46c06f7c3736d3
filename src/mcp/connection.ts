// The connection to one MCP server: started when it is first needed, its list read before any call, stopped when idle.
import type { Client, Transport } from '@modelcontextprotocol/client'
import { AppError } from '#core/errors.ts'
import { isObject, objectIn } from '#core/json.ts'
import type { OfferedTool } from '#core/mcp.ts'
import type { CallProgress } from '#core/tool.ts'
import { orAborted } from '#lib/deadline.ts'
import { createSemaphore } from '#lib/semaphore.ts'
import type { ExactArguments } from './exact-arguments.ts'
import { type CallDeadline, createCallDeadline } from './call-deadline.ts'
import { readList, type ServerList } from './read-list.ts'
import { type CallOutput, readResult } from './result.ts'

const maxCallsAtOnce = 8
const maxRestarts = 3
const restartWindowMs = 60_000
/** A start includes what a launcher such as npx downloads. */
const maxStartMs = 120_000
/** Older servers may stay silent at the probe for the newer era of the protocol. */
const defaultProbeMs = 5_000
const maxCallMs = 10 * 60_000
/** The package's own limit of a call is out of the way: it cannot wait for a person. */
const maxTimerMs = 2 ** 31 - 1
const maxMessageChars = 2_000

export type ConnectionStatus = {
  readonly status: 'idle' | 'starting' | 'ready' | 'failed' | 'sign_in'
  readonly error?: string
}

/** The answer of a server to a call. In the newer era it may ask for input first; the call is then made again. */
export type CallAnswer =
  | ({ readonly type: 'result' } & CallOutput)
  | { readonly type: 'input'; readonly requests: unknown; readonly state: unknown }

export type ServerCall = {
  readonly tool: OfferedTool
  /** The JSON text of an object. */
  readonly args: string
  readonly signal: AbortSignal
  /** Is called right before the call is sent, once the list has been read. Throws if the call must not be made. */
  readonly check?: () => void
  readonly onProgress?: (progress: CallProgress) => void
  /** Without it, nobody is asked. */
  readonly elicit?: Elicit
  /** Calls of one thread are of one person. */
  readonly threadId?: string
  /** Answers to what the server asked for, and the state that it wants back. */
  readonly input?: { readonly responses: unknown; readonly state: unknown }
}

/** A transport that was opened for one start of a server. */
export type OpenedTransport = {
  readonly transport: Transport
  /** Why the server ended, in words; undefined if it did not. */
  readonly fault: () => string | undefined
  /** The error to throw if somebody must sign in to the server first. */
  readonly signInFault?: () => AppError | undefined
}

/** Asks a person for what a server of the older era wants to know during a call. */
export type Elicit = (params: unknown) => Promise<Record<string, unknown>>

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

type Live = { readonly client: Client; readonly opened: OpenedTransport; list: ServerList }

export function createConnection(parts: ConnectionParts): Connection {
  const { name, onList, callMs, idleMs, probeMs = defaultProbeMs, now = Date.now } = parts
  const places = createSemaphore(maxCallsAtOnce)
  const exact: ExactArguments = new WeakMap()
  let starting: Promise<Live> | undefined
  let live: Live | undefined
  let ending: Promise<void> | undefined
  let restarts: number[] = []
  let lastFault: string | undefined
  let signIn = false
  let era: 'legacy' | undefined
  let idle: NodeJS.Timeout | undefined
  let active = 0
  /** Calls under way, in the order in which they were sent. */
  const underWay = new Set<{ readonly call: ServerCall; readonly deadline: CallDeadline }>()

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
    let opened: OpenedTransport | undefined
    try {
      const made = await connect((each) => {
        opened = each
      })
      live = made
      await onList(made.list)
      lastFault = undefined
      signIn = false
      return made
    } catch (error) {
      live = undefined
      const needed = opened?.signInFault?.()
      signIn = needed !== undefined
      lastFault = wordsOf(error, opened)
      await opened?.transport.close().catch(() => {})
      throw needed ?? (error instanceof AppError ? error : refusal(lastFault, error))
    }
  }

  /** Connects in the newer era of the protocol or, if the server does not speak it, in the older one. */
  async function connect(onOpen: (opened: OpenedTransport) => void): Promise<Live> {
    const { Client: ClientClass } = await import('@modelcontextprotocol/client')
    const attempt = async (): Promise<Live> => {
      const opened = await parts.openTransport(exact)
      onOpen(opened)
      const client = new ClientClass(
        { name: 'atrium', version: parts.version },
        {
          capabilities: { elicitation: { form: {}, url: {} } },
          versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeMs } },
          inputRequired: { autoFulfill: false },
          listChanged: { tools: { autoRefresh: false, onChanged: () => void reread(made) } },
          // Output schemas are a stranger's: results are read as they are.
          jsonSchemaValidator: {
            getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
          },
        },
      )
      client.setRequestHandler('elicitation/create', async ({ params }) => (await elicit(params)) as never)
      const made: Live = { client, opened, list: { tools: [], instructions: '' } }
      Object.assign(client, { onclose: () => left(made), onerror: parts.onError })
      await client.connect(opened.transport, { timeout: maxStartMs, ...(era && { prior: { kind: era } }) })
      made.list = await readList(client)
      return made
    }
    try {
      return await attempt()
    } catch (error) {
      if (era !== undefined || codeOf(error) !== 'ERA_NEGOTIATION_FAILED') throw error
      // It died at the probe: servers of the older era may.
      era = 'legacy'
      return await attempt()
    }
  }

  /**
   * Asks for input in the thread of the call. The older era does not say which call a question belongs to: with calls of
   * several threads under way, nobody is asked.
   */
  async function elicit(params: unknown): Promise<Record<string, unknown>> {
    const calls = [...underWay]
    const last = calls.at(-1)
    const isClear = calls.every(({ call }) => call.threadId === last?.call.threadId)
    if (!last?.call.elicit || !isClear) return { action: 'decline' }
    const release = last.deadline.hold()
    try {
      return await last.call.elicit(params)
    } finally {
      release()
    }
  }

  /** The server has closed the connection. */
  function left(which: Live): void {
    if (live !== which) return
    live = undefined
    clearTimeout(idle)
    lastFault = which.opened.fault() ?? 'it closed the connection'
    // What it started may still run.
    ending = which.opened.transport.close().catch(() => {})
  }

  /** Reads the list again. One read at a time: a server may announce changes as often as it likes. */
  let rereading: Promise<void> | undefined
  let again = false
  function reread(which: Live): Promise<void> {
    again = rereading !== undefined
    rereading ??= (async () => {
      try {
        which.list = await readList(which.client)
        if (live === which) await onList(which.list)
      } catch (error) {
        if (live === which) parts.onError?.(error as Error)
      } finally {
        rereading = undefined
        if (again && live === which) void reread(which)
      }
    })()
    return rereading
  }

  function rest(): void {
    clearTimeout(idle)
    if (active === 0 && live) idle = setTimeout(() => void stop(), idleMs).unref()
  }

  async function using<T>(signal: AbortSignal, work: (made: Live) => Promise<T>): Promise<T> {
    active++
    clearTimeout(idle)
    try {
      const made = await orAborted(ensure(), signal)
      return await work(made)
    } finally {
      active--
      rest()
    }
  }

  async function send({ client, opened }: Live, call: ServerCall): Promise<CallAnswer> {
    const { tool, signal, onProgress, input } = call
    call.check?.()
    const deadline = createCallDeadline({ signal, callMs, maxMs: Math.max(maxCallMs, callMs) })
    const own = { call, deadline }
    underWay.add(own)
    const args = objectIn(call.args) ?? {}
    exact.set(args, call.args)
    try {
      const params = { name: tool.name, arguments: args }
      const result: unknown = await client.callTool(
        { ...params, ...(input && { inputResponses: input.responses, requestState: input.state }) },
        {
          signal: deadline.signal,
          timeout: maxTimerMs,
          onprogress(progress) {
            deadline.renew()
            onProgress?.(progress as CallProgress)
          },
          allowInputRequired: true,
          toolDefinition: { name: tool.name, inputSchema: tool.schema as { type: 'object' } },
        },
      )
      if (isObject(result) && result['resultType'] === 'input_required')
        return { type: 'input', requests: result['inputRequests'], state: result['requestState'] }
      return { type: 'result', ...readResult(result) }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof AppError) throw error
      const needed = opened.signInFault?.()
      if (needed) {
        signIn = true
        throw needed
      }
      throw refusal(deadline.isOver() ? timeoutWords() : wordsOf(error, opened), error)
    } finally {
      deadline.end()
      underWay.delete(own)
    }
  }

  function timeoutWords(): string {
    return `it did not answer within ${Math.round(callMs / 1000)} seconds; the call may or may not have taken effect`
  }

  function refusal(why: string, cause?: unknown): AppError {
    return new AppError('tool_refused', `the MCP server ${name}: ${why}`, { cause })
  }

  async function stop(): Promise<void> {
    clearTimeout(idle)
    const made = live ?? (await starting?.catch(() => undefined))
    live = undefined
    lastFault = undefined
    if (made) ending = made.client.close().then(() => made.opened.transport.close())
    await ending
  }

  return {
    status() {
      if (live) return { status: 'ready' }
      if (starting) return { status: 'starting' }
      if (signIn) return { status: 'sign_in' }
      return lastFault === undefined ? { status: 'idle' } : { status: 'failed', error: lastFault }
    },
    list: (signal) => using(signal, async ({ list }) => Promise.resolve(list)),
    async call(call) {
      const release = await places.take(call.signal)
      try {
        return await using(call.signal, (made) => send(made, call))
      } finally {
        release()
      }
    },
    stop,
  }
}

/** Why a server cannot be used. Its own words are cut. */
function wordsOf(error: unknown, opened: OpenedTransport | undefined): string {
  const fault = opened?.fault()
  if (fault !== undefined) return fault
  const code = codeOf(error)
  if (code === 'REQUEST_TIMEOUT') return 'it did not answer in time'
  if (code === 'CONNECTION_CLOSED') return 'it closed the connection'
  return (error instanceof Error ? error.message : String(error)).slice(0, maxMessageChars)
}

function codeOf(error: unknown): unknown {
  return isObject(error) ? error['code'] : undefined
}
