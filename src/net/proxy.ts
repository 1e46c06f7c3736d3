// Which requests take the proxy of the environment. Light: loaded also where there is none.
import { BlockList, isIP } from 'node:net'
import type { ProxySettings } from '#core/proxy.ts'
import { isAddressHost, isLoopbackHost, type Target } from '#safety/urls.ts'

type Place = Pick<Target, 'scheme' | 'host' | 'port'>

/** The proxy for a target; undefined for a direct connection. Loopback hosts are always direct. */
export function proxyFor(target: Place, { httpsProxy, noProxy = '' }: ProxySettings): URL | undefined {
  if (!httpsProxy || target.scheme !== 'https' || isLoopbackHost(target.host)) return undefined
  const exempt = noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => isExempt(target, entry.toLowerCase()))
  return exempt ? undefined : new URL(httpsProxy)
}

/** The same for the URL of a server. */
export function proxyForUrl({ protocol, hostname, port }: URL, settings: ProxySettings = {}): URL | undefined {
  if (protocol !== 'https:') return undefined
  return proxyFor({ scheme: 'https', host: hostname, port: Number(port || 443) }, settings)
}

/** How an agent of undici connects: through the proxy, or directly. */
export async function connectThrough(proxy: URL | undefined, timeoutMs: number) {
  return proxy ? (await import('./tunnel.ts')).proxyConnector(proxy, timeoutMs) : { timeout: timeoutMs }
}

/** A fetch through the proxy, or Node's own. */
export async function fetchThrough(proxy: URL | undefined): Promise<typeof fetch> {
  return proxy ? (await import('./proxy-fetch.ts')).openProxyFetch(proxy) : fetch
}

function isExempt({ host, port }: Place, entry: string): boolean {
  if (entry === '*') return true
  const network = networkIn(entry)
  if (network) return isAddressHost(host) && network.check(...addressOf(host))
  const [, name = '', entryPort] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? []
  if (name === '' || (entryPort !== undefined && Number(entryPort) !== port)) return false
  const domain = name.replace(/^\*?\./, '')
  return host === domain || (!isAddressHost(host) && host.endsWith(`.${domain}`))
}

/** The addresses of an entry such as 10.0.0.0/8, or a single one; undefined for other entries. */
function networkIn(entry: string): BlockList | undefined {
  const [, text = '', bits] = /^([\d.a-f:]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  if (isIP(text) === 0) return undefined
  const [address, family] = addressOf(text)
  const maxBits = family === 'ipv4' ? 32 : 128
  const network = new BlockList()
  if (Number(bits ?? maxBits) <= maxBits) network.addSubnet(address, Number(bits ?? maxBits), family)
  return network
}

/** An address without brackets, and its family. */
function addressOf(host: string): [address: string, family: 'ipv4' | 'ipv6'] {
  return host.includes(':') ? [host.replaceAll(/[[\]]/g, ''), 'ipv6'] : [host, 'ipv4']
}
