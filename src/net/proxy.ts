// Requests through a proxy: which targets use it, and the tunnel to them.
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { request as httpRequest } from '#lib/http.ts'
import { isAddressHost, isLoopbackHost, type Target } from '#safety/urls.ts'
import { NetworkFault } from './network-fault.ts'

/** `httpsProxy` is an http or https URL, `noProxy` a list of hosts as NO_PROXY has it. */
export type ProxySettings = { readonly httpsProxy?: string; readonly noProxy?: string }

/** The proxy for a target; undefined for a direct connection. Loopback hosts are always direct. */
export function proxyFor(target: Target, { httpsProxy, noProxy = '' }: ProxySettings): URL | undefined {
  if (!httpsProxy || target.scheme !== 'https' || isLoopbackHost(target.host)) return undefined
  const exempt = noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => isExempt(target, entry.toLowerCase()))
  return exempt ? undefined : new URL(httpsProxy)
}

/** A raw connection to the target through the proxy. The caller runs TLS over it, end to end. */
export function openTunnel(proxy: URL, target: Target, signal: AbortSignal): Promise<Socket> {
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
    request.on('connect', (response, socket: Socket) => {
      if (response.statusCode === 200) resolve(socket)
      else {
        socket.destroy()
        reject(new NetworkFault(`the proxy refused the connection (HTTP ${response.statusCode})`))
      }
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
