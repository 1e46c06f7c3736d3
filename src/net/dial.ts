// Sends one HTTP request: resolves the name once, refuses addresses that are not public, connects to exactly the
// checked address and reads a bounded answer. Does not follow redirects and keeps no state.
import type { LookupAddress } from 'node:dns'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { connect as tlsConnect, rootCertificates } from 'node:tls'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { ProxySettings } from '#core/proxy.ts'
import { ByteBlocks } from '#lib/byte-blocks.ts'
import { request as httpRequest } from '#lib/http.ts'
import { orAborted } from '#lib/deadline.ts'
import { unknownAuthority } from '#lib/unknown-authority.ts'
import { isAddressHost, isLoopbackHost, showServer, type Target } from '#safety/urls.ts'
import { addressKind, type AddressKind } from './addresses.ts'
import { NetworkFault, ProxyFault } from './network-fault.ts'
import { proxyFor } from './proxy.ts'
import { openTunnel } from './tunnel.ts'

/** A checked request. Header names are lower case. */
export type Outgoing = {
  readonly method: string
  readonly target: Target
  readonly headers: ReadonlyMap<string, string>
  readonly body?: Buffer
  /** The operator listed this host: it may resolve to a private address. */
  readonly listed?: boolean
  /** Asked once the connection is open, right before the request is written: false ends it unsent. */
  readonly mayWrite?: () => boolean
}

/** Why there is no answer. */
export type DialFault = {
  readonly code: 'blocked' | 'response_too_large' | 'timeout' | 'unreachable'
  readonly message: string
  /** True once bytes may have reached the server. */
  readonly sent: boolean
  /** The kind of the address that is blocked. */
  readonly kind?: AddressKind
}

export type WireAnswer = {
  readonly type: 'answer'
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

export type Dialled = WireAnswer | { readonly type: 'fault'; readonly fault: DialFault }

/** Sends one request. Failures are returned, not thrown. */
export type Dial = (request: Outgoing, bounds: { maxBytes: number; signal: AbortSignal }) => Promise<Dialled>

export type DialParts = {
  /** Resolves a name to all its addresses. */
  readonly lookup: (host: string) => Promise<readonly LookupAddress[]>
  readonly proxy?: ProxySettings
  /** PEM certificates to trust in addition to Node's own. */
  readonly ca?: readonly string[]
}

/** An answer whose body has not been read. It may be compressed; the caller bounds it. */
export type OpenAnswer = {
  readonly type: 'open'
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: IncomingMessage
}

/** Sends one request and returns before the body arrives, for answers that are streamed. */
export type StreamDial = (
  request: Outgoing,
  signal: AbortSignal,
) => Promise<OpenAnswer | { readonly type: 'fault'; readonly fault: DialFault }>

export function createDial(parts: DialParts): Dial {
  return (request, { maxBytes, signal }) =>
    attempt(request, { ...parts, signal }, maxBytes, (message) => read(message, maxBytes))
}

export function createStreamDial(parts: DialParts): StreamDial {
  return (request, signal) =>
    attempt(request, { ...parts, signal }, 0, (message) => {
      return { type: 'open', status: message.statusCode ?? 0, headers: headersOf(message), body: message } as const
    })
}

/** Sends a request and takes its answer. What fails becomes a fault. */
async function attempt<T>(
  request: Outgoing,
  parts: DialParts & { readonly signal: AbortSignal },
  maxBytes: number,
  take: (message: IncomingMessage) => T | Promise<T>,
): Promise<T | { readonly type: 'fault'; readonly fault: DialFault }> {
  const { signal } = parts
  let sent = false
  try {
    const connection = await connect(request, parts, signal)
    if ('code' in connection) return { type: 'fault', fault: connection }
    const message = await send(request, { ...parts, connection, signal }, () => {
      sent = true
    })
    const taken = await take(message)
    // An answer without a length ends where its connection does, also when this side has closed it.
    signal.throwIfAborted()
    return taken
  } catch (error) {
    if (error instanceof TooLarge) return failed('response_too_large', `the answer is over ${maxBytes} bytes`, true)
    const server = showServer(request.target)
    const unreached = `${server} could not be reached: ${reasonOf(error)}`
    if (!signal.aborted) return failed('unreachable', unreached, sent)
    return failed('timeout', error instanceof ProxyFault ? unreached : `${server} did not answer in time`, sent)
  }
}

const decompressors = new Map([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  ['br', brotliDecompress],
])

class TooLarge extends Error {}

type Connection = { readonly addresses: readonly LookupAddress[] } | { readonly socket: Socket }

/** Checked addresses, which are not looked up again, or a tunnel through the proxy. */
async function connect(
  { target, listed = false }: Outgoing,
  { lookup, proxy }: DialParts,
  signal: AbortSignal,
): Promise<Connection | DialFault> {
  const tunnel = proxy && proxyFor(target, proxy)
  // The caller has checked a literal address already: only metadata services are refused here too.
  if (isAddressHost(target.host)) {
    const address = plainHost(target)
    if (addressKind(address) === 'metadata') return refused(target, 'metadata')
    return tunnel ? { socket: await openTunnel(tunnel, target, signal) } : { addresses: [] }
  }
  // A proxy resolves the name itself, often where this machine cannot: only the proxy can check the addresses.
  if (tunnel) return { socket: await openTunnel(tunnel, target, signal) }
  // The lookup may have no deadline of its own.
  const found = await orAborted(lookup(target.host), signal)
  const expected = isLoopbackHost(target.host) ? 'loopback' : 'public'
  const refusedKind = found
    .map(({ address }) => addressKind(address))
    .find((kind) => (listed ? kind === 'metadata' : kind !== expected))
  if (refusedKind) return refused(target, refusedKind)
  if (found.length === 0) throw new NetworkFault('the name has no address')
  return { addresses: found }
}

function refused({ host }: Target, kind: AddressKind): DialFault {
  return { code: 'blocked', message: `${host} is at a ${kind} address, which tools may not reach`, sent: false, kind }
}

type SendParts = DialParts & { readonly connection: Connection; readonly signal: AbortSignal }

function send(request: Outgoing, { connection, ca, signal }: SendParts, onSent: () => void): Promise<IncomingMessage> {
  const { target, method, headers, body, mayWrite } = request
  const name = isAddressHost(target.host) ? {} : { servername: target.host }
  const trust = ca ? { ca: [...rootCertificates, ...ca] } : {}
  const defaultPort = target.scheme === 'https' ? 443 : 80
  const options = {
    method,
    path: encodeForWire(`${target.path}${target.query}`),
    headers: {
      host: target.port === defaultPort ? target.host : `${target.host}:${target.port}`,
      ...Object.fromEntries(headers),
      'accept-encoding': 'identity',
      ...(body && { 'content-length': body.length }),
    },
    signal,
    ...('socket' in connection
      ? { agent: agentOver(tlsConnect({ socket: connection.socket, host: plainHost(target), ...name, ...trust })) }
      : {
          agent: false as const,
          host: plainHost(target),
          lookup: fixedLookup(connection.addresses),
          port: target.port,
          ...name,
          ...trust,
        }),
  }
  return new Promise((resolve, reject) => {
    const outgoing: ClientRequest = (target.scheme === 'https' ? httpsRequest : httpRequest)(options, resolve)
    outgoing.on('error', reject)
    outgoing.on('finish', onSent)
    // Other events may never come, for example after a change of protocol.
    outgoing.on('close', () => reject(new NetworkFault('the answer is not an HTTP response')))
    if (!mayWrite) outgoing.end(body)
    else onceConnected(outgoing, target, () => (mayWrite() ? outgoing.end(body) : outgoing.destroy(withdrawn())))
  })
}

function onceConnected(outgoing: ClientRequest, { scheme }: Target, write: () => void): void {
  outgoing.once('socket', (socket) => {
    if (socket.connecting || scheme === 'https') socket.once(scheme === 'https' ? 'secureConnect' : 'connect', write)
    else write()
  })
}

function withdrawn(): Error {
  return new NetworkFault('the answer was no longer wanted')
}

/** A lookup that returns only these addresses. Node does not call it for a literal address. */
function fixedLookup(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, { all }, done) => {
    const [first] = addresses
    if (!first) done(new NetworkFault('the name has no address'), '')
    else if (all) done(null, [...addresses])
    else done(null, first.address, first.family)
  }
}

/** The host without IPv6 brackets. */
function plainHost({ host }: Target): string {
  return host.replaceAll(/[[\]]/g, '')
}

/** An agent that uses this connection only. */
function agentOver(socket: Socket): Agent {
  return Object.assign(new Agent({ keepAlive: false }), { createConnection: () => socket })
}

/** The signal of the request ends this too; leaving the loop early destroys the message. */
async function read(message: IncomingMessage, maxBytes: number): Promise<WireAnswer> {
  const received = new ByteBlocks()
  for await (const chunk of message as AsyncIterable<Buffer>) {
    received.add(chunk)
    if (received.size > maxBytes) throw new TooLarge()
  }
  const headers = headersOf(message)
  const body = await decompressed(received.take(), headers.get('content-encoding'), maxBytes)
  headers.delete('content-encoding')
  return { type: 'answer', status: message.statusCode ?? 0, headers, body }
}

function headersOf(message: IncomingMessage): Map<string, string> {
  const headers = new Map<string, string>()
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return headers
}

/** Decompresses a body. A server may compress although asked not to, and secrets can only be masked in plain text. */
async function decompressed(body: Buffer, encoding: string | undefined, maxBytes: number): Promise<Buffer> {
  if (encoding === undefined || encoding === 'identity' || body.length === 0) return body
  const decompress = decompressors.get(encoding.toLowerCase())
  if (!decompress) throw new NetworkFault('the answer has an unknown content encoding')
  try {
    return await promisify<Buffer, { maxOutputLength: number }, Buffer>(decompress)(body, { maxOutputLength: maxBytes })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw new TooLarge()
    throw error
  }
}

/** Escapes characters that a request line may not contain. Existing escapes stay as they are. */
function encodeForWire(path: string): string {
  return path.toWellFormed().replaceAll(/[^\x21-\x7e]|["<>`{}|^\\]/gu, (character) => encodeURIComponent(character))
}

function failed(code: DialFault['code'], message: string, sent: boolean) {
  return { type: 'fault', fault: { code, message, sent } } as const
}

/** The network's reason for a failure. It never quotes the request, which may carry a credential by now. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'its name is unknown'
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO') return `it does not speak https (${code})`
  return unknownAuthority(error) ?? code ?? (error instanceof NetworkFault ? error.message : 'the connection failed')
}
