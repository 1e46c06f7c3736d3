// One request on the wire: resolve once, refuse what is not public, connect to exactly that address, read a bounded
// answer. Follows nothing, remembers nothing.
import type { LookupAddress } from 'node:dns'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { connect as tlsConnect, rootCertificates } from 'node:tls'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { request as httpRequest } from '#lib/http.ts'
import { orAborted } from '#lib/deadline.ts'
import { isAddressHost, isLoopbackHost, type Target } from '#safety/urls.ts'
import { addressKind } from './addresses.ts'
import { openTunnel, proxyFor, type ProxySettings } from './proxy.ts'

/** A request judged and ready for the wire. Header names are lower case. */
export type Outgoing = {
  readonly method: string
  readonly target: Target
  readonly headers: ReadonlyMap<string, string>
  readonly body?: Buffer
  /** The operator has listed this host: its name may lead to a private address. */
  readonly listed?: boolean
}

/** Why there is no answer. */
export type DialFault = {
  readonly code: 'blocked' | 'response_too_large' | 'timeout' | 'unreachable'
  readonly message: string
  /** True once bytes may have reached the server. */
  readonly sent: boolean
}

export type WireAnswer = {
  readonly type: 'answer'
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

export type Dialled = WireAnswer | { readonly type: 'fault'; readonly fault: DialFault }

/** Sends one request. Every failure is a value. */
export type Dial = (request: Outgoing, bounds: { maxBytes: number; signal: AbortSignal }) => Promise<Dialled>

export type DialParts = {
  /** Every address of a name. */
  readonly lookup: (host: string) => Promise<readonly LookupAddress[]>
  readonly proxy?: ProxySettings
  /** Certificates to trust beside the machine's, as PEM. */
  readonly ca?: readonly string[]
}

export function createDial(parts: DialParts): Dial {
  return async (request, { maxBytes, signal }) => {
    let sent = false
    try {
      const connection = await connect(request, parts, signal)
      if ('code' in connection) return { type: 'fault', fault: connection }
      const message = await send(request, { ...parts, connection, signal }, () => {
        sent = true
      })
      return await read(message, maxBytes, signal)
    } catch (error) {
      if (error instanceof TooLarge) return failed('response_too_large', `the answer is over ${maxBytes} bytes`, true)
      if (signal.aborted) return failed('timeout', `${request.target.host} did not answer in time`, sent)
      return failed('unreachable', `${request.target.host} could not be reached: ${reasonOf(error)}`, sent)
    }
  }
}

const unpackers = new Map([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  ['br', brotliDecompress],
])

class TooLarge extends Error {}

type Connection = { readonly addresses: readonly LookupAddress[] } | { readonly socket: Socket }

/** Where to connect: addresses that were checked and are not looked up again, or a tunnel of the proxy. */
async function connect(
  { target, listed = false }: Outgoing,
  { lookup, proxy }: DialParts,
  signal: AbortSignal,
): Promise<Connection | DialFault> {
  const tunnel = proxy && proxyFor(target, proxy)
  // A literal address was allowed by its own entry in the list; only its kind at install was checked further.
  if (isAddressHost(target.host)) {
    const address = plainHost(target)
    if (addressKind(address) === 'metadata') return refused(target, 'metadata')
    return tunnel ? { socket: await openTunnel(tunnel, target, signal) } : { addresses: [] }
  }
  // Behind a proxy the name is the proxy's to resolve.
  if (tunnel) return { socket: await openTunnel(tunnel, target, signal) }
  // A resolver has no deadline of its own.
  const found = await orAborted(lookup(target.host), signal)
  const wanted = isLoopbackHost(target.host) ? 'loopback' : 'public'
  const odd = found
    .map(({ address }) => addressKind(address))
    .find((kind) => (listed ? kind === 'metadata' : kind !== wanted))
  if (odd) return refused(target, odd)
  if (found.length === 0) throw new Error('the name has no address')
  return { addresses: found }
}

function refused({ host }: Target, kind: string): DialFault {
  return { code: 'blocked', message: `${host} is at a ${kind} address, which tools may not reach`, sent: false }
}

type SendParts = DialParts & { readonly connection: Connection; readonly signal: AbortSignal }

function send(request: Outgoing, { connection, ca, signal }: SendParts, onSent: () => void): Promise<IncomingMessage> {
  const { target, method, headers, body } = request
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
    setHost: false,
    signal,
    ...('socket' in connection
      ? { agent: agentOver(tlsConnect({ socket: connection.socket, host: plainHost(target), ...name, ...trust })) }
      : {
          agent: false as const,
          host: plainHost(target),
          lookup: only(connection.addresses),
          port: target.port,
          ...name,
          ...trust,
        }),
  }
  return new Promise((resolve, reject) => {
    const outgoing: ClientRequest = (target.scheme === 'https' ? httpsRequest : httpRequest)(options, resolve)
    outgoing.on('error', reject)
    outgoing.on('finish', onSent)
    // An answer that is none, such as a change of protocol, ends in nothing else.
    outgoing.on('close', () => reject(new Error('the answer is not one')))
    outgoing.end(body)
  })
}

/** A lookup that knows these addresses and asks nobody. An address in place of a name is never looked up. */
function only(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, { all }, done) => {
    const [first] = addresses
    if (!first) done(new Error('the name has no address'), '')
    else if (all) done(null, [...addresses])
    else done(null, first.address, first.family)
  }
}

/** Without the brackets of IPv6. */
function plainHost({ host }: Target): string {
  return host.replaceAll(/[[\]]/g, '')
}

/** An agent whose only connection is this one. */
function agentOver(socket: Socket): Agent {
  return Object.assign(new Agent({ keepAlive: false }), { createConnection: () => socket })
}

async function read(message: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<WireAnswer> {
  const chunks: Buffer[] = []
  let size = 0
  const stop = (): void => {
    message.destroy(new Error('stopped'))
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw new TooLarge()
      chunks.push(chunk)
    }
  } finally {
    signal.removeEventListener('abort', stop)
    message.destroy()
  }
  const headers = new Map<string, string>()
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  const body = await unpacked(Buffer.concat(chunks), headers.get('content-encoding'), maxBytes)
  headers.delete('content-encoding')
  return { type: 'answer', status: message.statusCode ?? 0, headers, body }
}

/** A server may pack its answer though it was asked not to; masking needs it plain. */
async function unpacked(body: Buffer, encoding: string | undefined, maxBytes: number): Promise<Buffer> {
  if (encoding === undefined || encoding === 'identity' || body.length === 0) return body
  const unpack = unpackers.get(encoding.toLowerCase())
  if (!unpack) throw new Error(`the answer is packed in a way that is not known here`)
  try {
    return await promisify<Buffer, { maxOutputLength: number }, Buffer>(unpack)(body, { maxOutputLength: maxBytes })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw new TooLarge()
    throw error
  }
}

/** Escapes what may not stand in a request line; what the tool escaped itself stays as it wrote it. */
function encodeForWire(path: string): string {
  return path.toWellFormed().replaceAll(/[^\x21-\x7e]|["<>`{}|^\\]/gu, (character) => encodeURIComponent(character))
}

function failed(code: DialFault['code'], message: string, sent: boolean): Dialled {
  return { type: 'fault', fault: { code, message, sent } }
}

/** The network's own word for a failure; nothing of the request, which may carry a credential by now. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'its name is not known'
  return code ?? (/^(the proxy|the name|the answer)/.test(error.message) ? error.message : 'the connection failed')
}
