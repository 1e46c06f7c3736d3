// Starts the client of the protocol on a new transport: in the newer era or, if the server does not speak it, the older one.
import type { Client, Transport } from '@modelcontextprotocol/client'
import type { AppError } from '#core/errors.ts'
import { isObject } from '#core/json.ts'
import { boundAnswers } from './bound-answers.ts'
import type { ExactArguments } from './exact-arguments.ts'
import { loadClient } from './load-client.ts'
import { wholeOfShort } from './long-messages.ts'
import { readList, type ServerList } from './read-list.ts'
import { createReread } from './reread.ts'

/** A start includes what a launcher such as npx downloads. */
const defaultStartMs = 120_000
/** Older servers may stay silent at the probe for the newer era of the protocol. */
const defaultProbeMs = 5_000

/** A transport that was opened for one start of a server. */
export type OpenedTransport = {
  readonly transport: Transport
  /** Why the server ended, in words; undefined if it did not. */
  readonly fault: () => string | undefined
  /** The last line on standard error, as the end of a sentence. */
  readonly lastWords?: () => string
  /** Masks secrets in words of the server. */
  readonly mask: (text: string) => string
  /** The error to throw if a request failed because somebody must sign in to the server first. */
  readonly signInFault?: (error: unknown) => AppError | undefined
}

export type Live = {
  readonly client: Client
  readonly opened: OpenedTransport
  list: ServerList
  /** Why the list could not be read again after the server said that it has changed. */
  unread?: string | undefined
  /** A read of the list that calls wait for. */
  refreshing?: Promise<void> | undefined
  /** How many use it. */
  users: number
  /** The server no longer knows its session: nobody begins to use it. */
  over: boolean
  closed: boolean
}

export type ClientParts = {
  readonly openTransport: (exact: ExactArguments) => Promise<OpenedTransport>
  readonly exact: ExactArguments
  readonly version: string
  readonly probeMs?: number
  readonly startMs?: number
  readonly onError?: (error: Error) => void
  readonly onClose: (live: Live) => void
  /** Reads the list again; called when the server says that it has changed, at most once a second. Never rejects. */
  readonly reread: (live: Live) => Promise<void>
  /** Answers a question of a server of the older era. */
  readonly elicit: (params: unknown) => Promise<Record<string, unknown>>
}

/** `onOpen` is called with each transport before it is used. It throws if the start must not go on. */
export type ConnectClient = (onOpen: (opened: OpenedTransport) => void) => Promise<Live>

export function createConnectClient(parts: ClientParts): ConnectClient {
  const { probeMs = defaultProbeMs, startMs = defaultStartMs } = parts
  /** Is set once a server has died or stayed silent at the probe and then spoken the older era. */
  let era: 'legacy' | undefined

  async function attempt(onOpen: (opened: OpenedTransport) => void, prior: typeof era): Promise<Live> {
    const { Client: ClientClass } = await loadClient()
    const plain = await parts.openTransport(parts.exact)
    const excess = boundAnswers(plain.transport)
    const opened = { ...plain, fault: () => excess() ?? plain.fault() }
    onOpen(opened)
    const client = new ClientClass(
      { name: 'atrium', version: parts.version },
      {
        capabilities: { elicitation: { form: {}, url: {} } },
        versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeMs } },
        inputRequired: { autoFulfill: false },
        listChanged: { tools: { autoRefresh: false, onChanged: () => onListChanged() } },
        // Output schemas are a stranger's: results are read as they are.
        jsonSchemaValidator: {
          getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
        },
      },
    )
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      return (await parts.elicit(wholeOfShort(params))) as never
    })
    const live: Live = { client, opened, list: { tools: [], instructions: '' }, users: 0, over: false, closed: false }
    const onListChanged = createReread({ read: () => parts.reread(live), over: () => live.closed })
    const onclose = (): void => {
      live.closed = true
      parts.onClose(live)
    }
    Object.assign(client, { onclose, onerror: parts.onError })
    await client.connect(opened.transport, { timeout: startMs, ...(prior && { prior: { kind: prior } }) })
    live.list = await readList(client)
    return live
  }

  return async (onOpen) => {
    let first: OpenedTransport | undefined
    try {
      return await attempt((opened) => {
        first = opened
        onOpen(opened)
      }, era)
    } catch (error) {
      const silent = isSilence(error, probeMs)
      if (era !== undefined || !first || !(silent || codeOf(error) === 'ERA_NEGOTIATION_FAILED')) throw error
      const died = first.fault() !== undefined
      await first.transport.close().catch(() => {})
      const live = await attempt(onOpen, 'legacy')
      // A fault of the network or of a proxy says nothing about the server.
      if (died || silent) era = 'legacy'
      return live
    }
  }
}

/** True for a probe without an answer. */
function isSilence(error: unknown, probeMs: number): boolean {
  const data = isObject(error) ? error['data'] : undefined
  return codeOf(error) === 'REQUEST_TIMEOUT' && isObject(data) && data['timeout'] === probeMs
}

export function codeOf(error: unknown): unknown {
  return isObject(error) ? error['code'] : undefined
}
