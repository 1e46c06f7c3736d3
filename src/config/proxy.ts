// The proxy for outgoing requests. Its variables belong to other programs too, which read them in either case.
import type { ProxySettings } from '#core/proxy.ts'
import { withoutUndefined } from '#lib/without-undefined.ts'
import { decoded } from './schemas.ts'
import type { Env } from './settings.ts'
import type { Report } from './variables.ts'

const hostAndPort = /^[^/]+:\d+\/?$/

export function proxyOf(env: Env, report: Report): ProxySettings {
  const name = env['HTTPS_PROXY'] ? 'HTTPS_PROXY' : 'https_proxy'
  const text = env[name] || undefined
  const httpsProxy = text && readProxy(text)
  if (text && !httpsProxy) {
    report(
      `${name} must be an http or https URL without path, special characters of its user and password percent-encoded; other kinds of proxies, such as SOCKS, are not supported. Unset it for direct requests, or: ${name}=http://proxy.example.com:3128`,
    )
  }
  return withoutUndefined({ httpsProxy, noProxy: env['NO_PROXY'] || env['no_proxy'] || undefined })
}

/** What a proxy's URL keeps secret, as it is written and as it is sent: the password, or a token in place of a user. */
export function proxySecrets({ httpsProxy = '' }: ProxySettings): string[] {
  const url = URL.parse(httpsProxy)
  const written = url?.password || url?.username
  return written ? [written, decodeURIComponent(written)] : []
}

/** `host:port` without a scheme is an http proxy. A path would be the rest of a password with a slash. */
function readProxy(text: string): string | undefined {
  const url = URL.parse(hostAndPort.test(text) ? `http://${text}` : text)
  if (!url || !/^https?:$/.test(url.protocol) || /[\s?#]/.test(text) || url.pathname !== '/') return undefined
  return [url.username, url.password].some((each) => decoded(each) === undefined) ? undefined : url.href
}
