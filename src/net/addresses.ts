// What kind of network an address belongs to: a tool may reach the public internet, not the machine or its neighbours.
import { isIPv4, isIPv6 } from 'node:net'

export type AddressKind = 'public' | 'loopback' | 'private' | 'link-local' | 'metadata' | 'reserved'

/** Where clouds serve credentials to whoever asks from the machine. Never reachable, not even by a literal entry. */
const metadataAddresses: readonly string[] = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '168.63.129.16',
  'fd00:ec2::254',
]

const v4Ranges: readonly [network: string, bits: number, kind: AddressKind][] = [
  ['0.0.0.0', 8, 'reserved'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'reserved'],
  ['192.88.99.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'reserved'],
  ['198.51.100.0', 24, 'reserved'],
  ['203.0.113.0', 24, 'reserved'],
  ['224.0.0.0', 4, 'reserved'],
  ['240.0.0.0', 4, 'reserved'],
]

/** Classifies an address without brackets. What wraps an IPv4 address in an IPv6 one is never public. */
export function addressKind(address: string): AddressKind {
  if (isIPv4(address)) return v4Kind(address)
  if (!isIPv6(address) || address.includes('%')) return 'reserved'
  const groups = v6Groups(address)
  if (metadataAddresses.some((each) => isIPv6(each) && v6Groups(each).join() === groups.join())) return 'metadata'
  const [first = 0, second = 0] = groups
  const leadingZeros = groups.slice(0, 5).every((group) => group === 0)
  if (leadingZeros && groups[5] === 0 && groups[6] === 0 && groups[7] === 1) return 'loopback'
  if (leadingZeros && (groups[5] === 0xffff || groups[5] === 0)) {
    const kind = v4Kind(embeddedV4(groups))
    return kind === 'public' ? 'reserved' : kind
  }
  if ((first & 0xffc0) === 0xfe80) return 'link-local'
  if ((first & 0xfe00) === 0xfc00) return 'private'
  if ((first & 0xe000) !== 0x2000) return 'reserved'
  const special =
    first === 0x2002 || // 6to4
    (first === 0x2001 && second < 0x200) || // Teredo, ORCHID and other protocol assignments
    (first === 0x2001 && second === 0x0db8) || // documentation
    (first === 0x3fff && second < 0x1000)
  return special ? 'reserved' : 'public'
}

function v4Kind(address: string): AddressKind {
  if (metadataAddresses.includes(address)) return 'metadata'
  const value = v4Number(address)
  for (const [network, bits, kind] of v4Ranges) {
    if (value >>> (32 - bits) === v4Number(network) >>> (32 - bits)) return kind
  }
  return 'public'
}

function v4Number(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

function embeddedV4(groups: readonly number[]): string {
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

function v6Groups(address: string): number[] {
  const text = address.replace(/\d+\.\d+\.\d+\.\d+$/, (v4) => {
    const value = v4Number(v4)
    return `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`
  })
  const [head = '', tail] = text.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const middle = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...middle, ...right].map((group) => Number.parseInt(group, 16))
}
