// The address a request came from: the connection's, or what trusted proxies say stands before them.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'

/** Whose X-Forwarded-For to believe: nobody's, that of so many nearest hops, or that of these addresses and networks. */
export type Trust = false | number | readonly string[]

export type ClientAddress = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string

/** Whether an address is believed about what stands before it; `hop` counts from the connection outwards. */
export function trustOf(trust: Trust): (address: string, hop: number) => boolean {
  if (trust === false) return () => false
  if (typeof trust === 'number') return (_address, hop) => hop < trust
  const listed = proxyAddr.compile([...trust])
  return (address, hop) => listed(plain(address) ?? address, hop)
}

/** Walks from the connection outwards for as long as each hop is trusted; what an untrusted one claims is not read. */
export function createClientAddress(trust: Trust): ClientAddress {
  const trusted = trustOf(trust)
  return (request) => {
    const remote = plain(request.socket.remoteAddress ?? '')
    if (trust === false || remote === undefined) return remote ?? 'unknown'
    return plain(proxyAddr(request as IncomingMessage, trusted)) ?? remote
  }
}

/** What a limit per address counts by: an IPv6 address stands for its /64, since one subscriber has all of that. */
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

/** One spelling per address: no port, no brackets, no zone, an IPv4 address as itself. Undefined when it is none. */
function plain(text: string): string | undefined {
  const trimmed = text.trim()
  const bare = /^\[(.*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? trimmed.replace(/^([\d.]+):\d+$/, '$1')
  const address = bare
    .replace(/^::ffff:(?=[\d.]+$)/i, '')
    .replace(/%.*$/, '')
    .toLowerCase()
  return isIP(address) === 0 ? undefined : address
}
