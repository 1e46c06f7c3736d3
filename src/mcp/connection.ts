// The connection to one MCP server: started when it is first needed, its list read before any call, stopped when idle.
import type { Client, Transport } from '@modelcontextprotocol/client'
import { AppError } from '#core/errors.ts'
import { isObject, objectIn } from '#core/json.ts'
import type { OfferedTool } from '#core/mcp.ts'
import type { CallProgress } from '#core/tool.ts'
import { orAborted } from '#lib/deadline.ts'
import { createSemaphore } from '#lib/semaphore.ts'
import type { ExactArguments } from './exact-arguments.ts'
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
  /** Answers to what the server asked for, and the state that it wants back. */
  readonly input?: { readonly responses: unknown; readonly state: unknown }
}

/** A transport that was opened for one start of a server. */
export type OpenedTransport = {
  readonly transport: Transport
  /** Why the server ended, in words; undefined if it did not. */
  readonly fault: () => string | undefined
  /** True if nobody is signed in to the server. */
  readonly needsSignIn?: () => boolean
}

/** A form or a link that a server of the older era asks to show during a call. */
export type Elicit = (params: unknown, signal: AbortSignal) => Promise<Record<string, unknown>>

export type ConnectionParts = {
  readonly name: string
  readonly openTransport: (exact: ExactArguments) => Promise<OpenedTransport>
  /** Stores a list: of a start, before any call, or one that the server changed. */
  readonly onList: (list: ServerList) => Promise<void>
  readonly callMs: number
  readonly idleMs: number
  readonly version: string
  /** Asks a person for input. Without it no server is told that anybody could be asked. */
  readonly elicit?: Elicit
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
      signIn = opened?.needsSignIn?.() ?? false
      lastFault = wordsOf(error, opened)
      await opened?.transport.close().catch(() => {})
      throw signIn ? error : refusal(lastFault, error)
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
          capabilities: parts.elicit ? { elicitation: { form: {}, url: {} } } : {},
          versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeMs } },
          inputRequired: { autoFulfill: false },
          listChanged: { tools: { autoRefresh: false, onChanged: () => void reread(made) } },
          // Output schemas are a stranger's: results are read as they are.
          jsonSchemaValidator: {
            getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
          },
        },
      )
      const { elicit } = parts
      if (elicit) {
        client.setRequestHandler('elicitation/create', async ({ params }, context) => {
          return (await elicit(params, context.mcpReq.signal)) as never
        })
      }
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
    const args = objectIn(call.args) ?? {}
    exact.set(args, call.args)
    try {
      const params = { name: tool.name, arguments: args }
      const result: unknown = await client.callTool(
        { ...params, ...(input && { inputResponses: input.responses, requestState: input.state }) },
        {
          signal,
          timeout: callMs,
          maxTotalTimeout: Math.max(maxCallMs, callMs),
          resetTimeoutOnProgress: true,
          onprogress: (progress) => onProgress?.(progress as CallProgress),
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
      signIn = opened.needsSignIn?.() ?? false
      if (signIn) throw error
      throw refusal(codeOf(error) === 'REQUEST_TIMEOUT' ? timeoutWords() : wordsOf(error, opened), error)
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
