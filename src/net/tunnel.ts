// Connections through the proxy of the environment, by CONNECT. TLS is with the target itself, end to end.
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { withDeadline } from '#lib/deadline.ts'
import { request as httpRequest } from '#lib/http.ts'
import { unknownAuthority } from '#lib/unknown-authority.ts'
import type { Target } from '#safety/urls.ts'
import { ProxyFault } from './network-fault.ts'

type Place = Pick<Target, 'host' | 'port'>

/** A raw connection to the target through the proxy. The caller runs TLS over it. Throws ProxyFault. */
export function openTunnel(proxy: URL, target: Place, signal: AbortSignal): Promise<Socket> {
  const authority = `${target.host}:${target.port}`
  const headers: Record<string, string> = { host: authority }
  if (proxy.username !== '') {
    const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
    headers['proxy-authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`
  }
  const secure = proxy.protocol === 'https:'
  return new Promise((resolve, reject) => {
    const request = (secure ? httpsRequest : httpRequest)({
      host: proxy.hostname.replaceAll(/[[\]]/g, ''),
      port: proxy.port || (secure ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      headers,
      agent: false,
      signal,
    })
    // Every answer to CONNECT comes so, a refusal too.
    request.on('connect', ({ statusCode }: IncomingMessage, socket: Socket) => {
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      reject(refusal(statusCode ?? 0, proxy))
    })
    request.on('error', (error) => reject(failure(error, signal)))
    request.end()
  })
}

/** Connects undici's clients of https servers through a proxy. */
export async function proxyConnector(proxy: URL, timeoutMs: number): Promise<buildConnector.connector> {
  // One file of undici: its index loads 7 MB.
  const { default: connector } = await import('undici/lib/core/connect.js')
  const overTunnel = connector({ allowH2: false, timeout: timeoutMs })
  const never = new AbortController().signal
  async function connect(options: buildConnector.Options, connected: buildConnector.Callback): Promise<void> {
    const { hostname, port } = options
    const target = { host: hostname.includes(':') ? `[${hostname}]` : hostname, port: Number(port || 443) }
    try {
      const httpSocket = await withDeadline(timeoutMs, never, (signal) => openTunnel(proxy, target, signal))
      overTunnel({ ...options, httpSocket }, connected)
    } catch (error) {
      connected(error instanceof Error ? error : new Error(String(error)), null)
    }
  }
  return (options, connected) => void connect(options, connected)
}

function refusal(status: number, { username }: URL): ProxyFault {
  if (status === 407 && username === '') {
    return new ProxyFault('wants a user and a password (407); set it to http://user:password@host:port', {
      passing: false,
    })
  }
  if (status === 407) return new ProxyFault('refuses its user and password (407)', { passing: false })
  const passing = status >= 500
  const what = passing ? 'could not reach this host' : 'refuses this host'
  return new ProxyFault(`${what} (${status}); NO_PROXY names hosts that are reached without it`, { passing })
}

function failure(cause: Error, signal: AbortSignal): ProxyFault {
  if (signal.aborted) return new ProxyFault('did not answer in time', { passing: true, cause })
  const untrusted = unknownAuthority(cause)
  if (untrusted !== undefined) return new ProxyFault(`cannot be reached: ${untrusted}`, { passing: false, cause })
  const code = 'code' in cause ? String(cause.code) : 'the connection failed'
  return new ProxyFault(`cannot be reached (${code})`, { passing: true, cause })
}
