// Whether a request that a browser signs by itself, with a cookie, was meant by a page of ours.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { AppError } from '#core/errors.ts'
import { type Trust, trustOf } from './address.ts'

export type OriginParts = {
  /** Origins beside the gateway's own, such as https://atrium.example.com. */
  readonly allowed: readonly string[]
  /** Names of this machine. An address or localhost needs no name: nobody else can make them lead here. */
  readonly names: readonly string[]
  readonly trustProxy: Trust
}

export type Site = { readonly secure: boolean; readonly host: string }

export interface Origins {
  /** How the client reached us: over HTTPS or not, and under which host, as far as a trusted proxy tells. */
  site(request: IncomingMessage): Site
  /** True for a request by a page of ours, or by no page at all. */
  isOurs(request: IncomingMessage): boolean
}

export function createOrigins({ allowed, names, trustProxy }: OriginParts): Origins {
  const trusted = trustOf(trustProxy)
  const ours = new Set(allowed)
  const known = new Set(
    [...names, ...allowed.map((origin) => new URL(origin).hostname)].map((name) => name.toLowerCase()),
  )

  function byProxy({ socket }: IncomingMessage): boolean {
    return socket.remoteAddress !== undefined && trusted(socket.remoteAddress, 0)
  }

  function site(request: IncomingMessage): Site {
    const told = byProxy(request)
    const { headers } = request
    const encrypted = 'encrypted' in request.socket
    return {
      secure: encrypted || (told && lastOf(headers['x-forwarded-proto']) === 'https'),
      host: (told && lastOf(headers['x-forwarded-host'])) || (headers.host ?? ''),
    }
  }

  /** A name that anybody could point to this machine is none of ours, unless a proxy that we trust lets it through. */
  function isKnown(request: IncomingMessage, host: string): boolean {
    const name = URL.parse(`http://${host}`)?.hostname ?? ''
    const bare = name.replace(/^\[(.*)\]$/, '$1')
    return isIP(bare) !== 0 || /^(.+\.)?localhost$/.test(name) || known.has(name) || byProxy(request)
  }

  return {
    site,
    isOurs(request) {
      const { host } = site(request)
      if (!isKnown(request, host)) return false
      const { origin, 'sec-fetch-site': from } = request.headers
      // Every browser names the origin of a write and of a WebSocket.
      if (origin === undefined) return from === undefined || from === 'same-origin' || from === 'none'
      if (ours.has(origin)) return true
      const page = URL.parse(origin)
      // The port that a scheme has anyway may stand or not.
      return page !== null && page.host !== '' && URL.parse(`${page.protocol}//${host}`)?.host === page.host
    },
  }
}

/** The origin under which a client reached us, as a browser and a server of sign-ins write it. */
export function originOf({ secure, host }: Site): string {
  const origin = URL.parse(`${secure ? 'https' : 'http'}://${host}`)?.origin
  if (origin === undefined) throw new AppError('invalid_input', 'Host is malformed', { param: 'Host' })
  return origin
}

/** What the nearest proxy has said. */
function lastOf(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header.join(',') : header)?.split(',').at(-1)?.trim().toLowerCase() || undefined
}
