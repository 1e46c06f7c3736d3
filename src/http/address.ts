// The client address of a request: that of the connection, or the one that trusted proxies forward.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'

/** Whose X-Forwarded-For is trusted: nobody's, that of the nearest n hops, or that of these addresses and networks. */
export type Trust = false | number | readonly string[]

export type ClientAddress = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string

/** Tests whether the proxy at an address is trusted. `hop` counts from the connection outwards, from 0. */
export function trustOf(trust: Trust): (address: string, hop: number) => boolean {
  if (trust === false) return () => false
  if (typeof trust === 'number') return (_address, hop) => hop < trust
  const listed = proxyAddr.compile([...trust])
  return (address, hop) => listed(normalize(address) ?? address, hop)
}

/** Walks from the connection outwards while each hop is trusted. Claims of an untrusted hop are ignored. */
export function createClientAddress(trust: Trust): ClientAddress {
  const trusted = trustOf(trust)
  return (request) => {
    const remote = normalize(request.socket.remoteAddress ?? '')
    if (trust === false || remote === undefined) return remote ?? 'unknown'
    return normalize(proxyAddr(request as IncomingMessage, trusted)) ?? remote
  }
}

/** The key of limits per address. An IPv6 address counts as its /64, because one subscriber owns a whole /64. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - groups.length - after.length
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...after]
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/** One spelling per address: no port, brackets or zone; IPv4-mapped IPv6 as IPv4. Undefined for anything else. */
function normalize(text: string): string | undefined {
  const trimmed = text.trim()
  const bare = /^\[(.*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? trimmed.replace(/^([\d.]+):\d+$/, '$1')
  const address = bare
    .replace(/^::ffff:(?=[\d.]+$)/i, '')
    .replace(/%.*$/, '')
    .toLowerCase()
  return isIP(address) === 0 ? undefined : address
}
