// The address a request came from: the connection's, or what trusted proxies say stands before them.
import { BlockList, isIP } from 'node:net'

/** Whose X-Forwarded-For to believe: nobody's, that of so many nearest hops, or that of these addresses and networks. */
export type Trust = false | number | readonly string[]

export type ClientAddress = (remote: string | undefined, forwarded: string | undefined) => string

/** Walks from the connection outwards for as long as each hop is trusted; what an untrusted one claims is not read. */
export function createClientAddress(trust: Trust): ClientAddress {
  const trusted = trustOf(trust)
  return (remote = 'unknown', forwarded) => {
    let client = plain(remote) ?? remote
    if (trust === false || forwarded === undefined) return client
    for (const [hop, text] of forwarded.split(',').toReversed().entries()) {
      if (!trusted(client, hop)) break
      const next = plain(text)
      if (next === undefined) break
      client = next
    }
    return client
  }
}

function trustOf(trust: Trust): (address: string, hop: number) => boolean {
  if (trust === false) return () => false
  if (typeof trust === 'number') return (_address, hop) => hop < trust
  const list = new BlockList()
  for (const network of trust) {
    const [address = '', bits] = network.split('/')
    const family = familyOf(address)
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address))
}

/** One spelling per address: no port, no brackets, an IPv4 address as itself. Undefined when it is none. */
function plain(text: string): string | undefined {
  const trimmed = text.trim()
  const bare = /^\[(.*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? trimmed.replace(/^([\d.]+):\d+$/, '$1')
  const address = bare.replace(/^::ffff:(?=[\d.]+$)/i, '').toLowerCase()
  return isIP(address) === 0 ? undefined : address
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
