// Origin and Host checks for requests authenticated by cookie.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { AppError, wrongField } from '#core/errors.ts'
import { type Trust, trustOf } from './address.ts'

export type OriginParts = {
  /** Origins besides the gateway's own, such as https://atrium.example.com. */
  readonly allowed: readonly string[]
  /** Host names of this machine. IP addresses and localhost are always accepted: an attacker cannot point them here. */
  readonly names: readonly string[]
  readonly trustProxy: Trust
}

export type Site = { readonly secure: boolean; readonly host: string }

export interface Origins {
  /** How the client reached the gateway: scheme and host, as a trusted proxy reports them. */
  site(request: IncomingMessage): Site
  /** True for a request from a page of the gateway or of an allowed origin, or from no page at all. */
  isAllowed(request: IncomingMessage): boolean
  /**
   * The origin under which the client reached the gateway, for an address that a sign-in returns to. Throws invalid_input
   * for a host that is neither allowed nor of this machine: a client writes any Host, and the code would be sent there.
   */
  ownOrigin(request: IncomingMessage): string
}

export function createOrigins({ allowed, names, trustProxy }: OriginParts): Origins {
  const trusted = trustOf(trustProxy)
  const allowedOrigins = new Set(allowed)
  const ownNames = new Set(names.map((name) => name.toLowerCase()))
  const knownHosts = new Set([...ownNames, ...allowed.map((origin) => new URL(origin).hostname.toLowerCase())])

  function byProxy({ socket }: IncomingMessage): boolean {
    return socket.remoteAddress !== undefined && trusted(socket.remoteAddress, 0)
  }

  function site(request: IncomingMessage): Site {
    const proxied = byProxy(request)
    const { headers } = request
    const encrypted = 'encrypted' in request.socket
    return {
      secure: encrypted || (proxied && lastOf(headers['x-forwarded-proto']) === 'https'),
      host: (proxied && lastOf(headers['x-forwarded-host'])) || (headers.host ?? ''),
    }
  }

  /** Against DNS rebinding: an attacker can point any name to this machine. Names that a trusted proxy lets through pass. */
  function isKnown(request: IncomingMessage, host: string): boolean {
    const name = URL.parse(`http://${host}`)?.hostname ?? ''
    const bare = name.replace(/^\[(.*)\]$/, '$1')
    return isIP(bare) !== 0 || isLoopbackName(name) || knownHosts.has(name) || byProxy(request)
  }

  /** Unlike `isKnown`, not every address and not every name that a proxy lets through. */
  function isOwn({ socket }: IncomingMessage, origin: string): boolean {
    const name = new URL(origin).hostname.replace(/^\[(.*)\]$/, '$1')
    if (allowedOrigins.has(origin) || ownNames.has(name)) return true
    return isLoopbackName(name) || name === socket.localAddress?.replace(/^::ffff:(?=[\d.]+$)/, '')
  }

  return {
    site,
    ownOrigin(request) {
      const origin = originOf(site(request))
      if (isOwn(request, origin)) return origin
      const message = `${origin} is not a known address of this service: add it to GATEWAY_ALLOWED_ORIGINS`
      throw new AppError('invalid_input', message, { param: 'Host' })
    },
    isAllowed(request) {
      const { host } = site(request)
      if (!isKnown(request, host)) return false
      const { origin, 'sec-fetch-site': from } = request.headers
      // Browsers send Origin with every write and every WebSocket.
      if (origin === undefined) return from === undefined || from === 'same-origin' || from === 'none'
      if (allowedOrigins.has(origin)) return true
      const page = URL.parse(origin)
      // Parsed again under the page's scheme, so that a default port in the Host header does not matter.
      return page !== null && page.host !== '' && URL.parse(`${page.protocol}//${host}`)?.host === page.host
    },
  }
}

/** The origin under which a client reached the gateway, as browsers and OpenID issuers write it. */
export function originOf({ secure, host }: Site): string {
  const origin = URL.parse(`${secure ? 'https' : 'http'}://${host}`)?.origin
  if (origin === undefined) throw wrongField('Host', 'is malformed')
  return origin
}

function isLoopbackName(name: string): boolean {
  return /^(?:.+\.)?localhost$|^127\.\d+\.\d+\.\d+$|^::1$/.test(name)
}

/** The last value of a list header: the one that the nearest proxy added. */
function lastOf(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header.join(',') : header)?.split(',').at(-1)?.trim().toLowerCase() || undefined
}
