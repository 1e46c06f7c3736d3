// Which requests take the proxy of the environment. Light: loaded also where there is none.
import { isAddressHost, isLoopbackHost, type Target } from '#safety/urls.ts'

/** `httpsProxy` is an http or https URL, `noProxy` a list of hosts as NO_PROXY has it. */
export type ProxySettings = { readonly httpsProxy?: string; readonly noProxy?: string }

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
export function proxyForUrl({ protocol, hostname, port }: URL, settings: ProxySettings): URL | undefined {
  if (protocol !== 'https:') return undefined
  return proxyFor({ scheme: 'https', host: hostname, port: Number(port || 443) }, settings)
}

function isExempt({ host, port }: Place, entry: string): boolean {
  if (entry === '*') return true
  const [, name = '', entryPort] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? []
  if (name === '' || (entryPort !== undefined && Number(entryPort) !== port)) return false
  const domain = name.replace(/^\*?\./, '')
  return host === domain || (!isAddressHost(host) && host.endsWith(`.${domain}`))
}
