// Going out through a proxy: whether a target needs it, and the tunnel to it.
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { request as httpRequest } from '#lib/http.ts'
import { isAddressHost, isLoopbackHost, type Target } from '#safety/urls.ts'

/** HTTPS_PROXY and NO_PROXY as they were given. */
export type ProxySettings = { readonly httpsProxy?: string; readonly noProxy?: string }

/** The proxy for a target, or undefined for a direct way. This machine itself is always reached directly. */
export function proxyFor(target: Target, { httpsProxy, noProxy = '' }: ProxySettings): URL | undefined {
  if (!httpsProxy || target.scheme !== 'https' || isLoopbackHost(target.host)) return undefined
  const exempt = noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => isExempt(target, entry.toLowerCase()))
  return exempt ? undefined : new URL(httpsProxy.includes('://') ? httpsProxy : `http://${httpsProxy}`)
}

/** A raw connection to the target through the proxy; TLS with the target itself is the caller's, end to end. */
export function openTunnel(proxy: URL, target: Target, signal: AbortSignal): Promise<Socket> {
  const place = `${target.host}:${target.port}`
  const headers: Record<string, string> = { host: place }
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
      path: place,
      headers,
      agent: false,
      signal,
    })
    request.on('connect', (answer, socket: Socket) => {
      if (answer.statusCode === 200) resolve(socket)
      else {
        socket.destroy()
        reject(new Error(`the proxy refused the connection (HTTP ${answer.statusCode})`))
      }
    })
    request.on('response', (answer) => {
      answer.destroy()
      reject(new Error(`the proxy refused the connection (HTTP ${answer.statusCode})`))
    })
    request.on('error', reject)
    request.end()
  })
}

function isExempt({ host, port }: Target, entry: string): boolean {
  if (entry === '*') return true
  const [, name = '', entryPort] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? []
  if (name === '' || (entryPort !== undefined && Number(entryPort) !== port)) return false
  const domain = name.replace(/^\*?\./, '')
  return host === domain || (!isAddressHost(host) && host.endsWith(`.${domain}`))
}
