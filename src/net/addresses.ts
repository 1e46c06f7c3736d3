// The kind of network that an IP address belongs to. Tools may reach the public internet, not this machine or its LAN.
import { BlockList, isIP } from 'node:net'

export type AddressKind = 'public' | 'loopback' | 'private' | 'link-local' | 'metadata' | 'reserved'

/** The first kind that contains an address wins. */
const kinds: readonly [kind: AddressKind, networks: BlockList][] = [
  // Cloud metadata services, which serve credentials to any process on the machine. Never reachable, even if listed.
  [
    'metadata',
    networks(
      '169.254.169.254/32 169.254.170.2/32 169.254.170.23/32 100.100.100.200/32 168.63.129.16/32 fd00:ec2::254/128 fd00:ec2::23/128 fd20:ce::254/128',
    ),
  ],
  ['loopback', networks('127.0.0.0/8 ::1/128')],
  ['link-local', networks('169.254.0.0/16 fe80::/10')],
  ['private', networks('10.0.0.0/8 100.64.0.0/10 172.16.0.0/12 192.168.0.0/16 fc00::/7')],
  [
    'reserved',
    networks(
      '0.0.0.0/8 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 ' +
        // Teredo, ORCHID and other protocol assignments; documentation; 6to4; documentation again.
        '2001::/23 2001:db8::/32 2002::/16 3fff::/20',
    ),
  ],
]
/** The allocated part of IPv6. Addresses that wrap an IPv4 address are outside it and never public. */
const allocated = networks('2000::/3')

/** Classifies an address without brackets. An IPv4-mapped one has the kind of its IPv4 address; if public, reserved. */
export function addressKind(address: string): AddressKind {
  const version = isIP(address)
  if (version === 0 || address.includes('%')) return 'reserved'
  const family = version === 4 ? 'ipv4' : 'ipv6'
  const found = kinds.find(([, list]) => list.check(address, family))
  if (found) return found[0]
  return version === 4 || allocated.check(address, family) ? 'public' : 'reserved'
}

function networks(list: string): BlockList {
  const made = new BlockList()
  for (const each of list.split(' ')) {
    const [network = '', bits] = each.split('/')
    made.addSubnet(network, Number(bits), network.includes(':') ? 'ipv6' : 'ipv4')
  }
  return made
}
