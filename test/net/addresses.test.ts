// The table of networks at its edges: the first and last address of each, and the addresses beside them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AddressKind, addressKind } from '#net/addresses.ts'

type Edge = readonly [
  kind: AddressKind,
  first: string,
  last: string,
  before: readonly [string, AddressKind] | undefined,
  after: readonly [string, AddressKind] | undefined,
]

const edges: readonly Edge[] = [
  ['reserved', '0.0.0.0', '0.255.255.255', undefined, ['1.0.0.0', 'public']],
  ['private', '10.0.0.0', '10.255.255.255', ['9.255.255.255', 'public'], ['11.0.0.0', 'public']],
  ['private', '100.64.0.0', '100.127.255.255', ['100.63.255.255', 'public'], ['100.128.0.0', 'public']],
  ['metadata', '100.100.100.200', '100.100.100.200', ['100.100.100.199', 'private'], ['100.100.100.201', 'private']],
  ['loopback', '127.0.0.0', '127.255.255.255', ['126.255.255.255', 'public'], ['128.0.0.0', 'public']],
  ['metadata', '168.63.129.16', '168.63.129.16', ['168.63.129.15', 'public'], ['168.63.129.17', 'public']],
  ['link-local', '169.254.0.0', '169.254.255.255', ['169.253.255.255', 'public'], ['169.255.0.0', 'public']],
  [
    'metadata',
    '169.254.169.254',
    '169.254.169.254',
    ['169.254.169.253', 'link-local'],
    ['169.254.169.255', 'link-local'],
  ],
  ['metadata', '169.254.170.2', '169.254.170.2', ['169.254.170.1', 'link-local'], ['169.254.170.3', 'link-local']],
  ['metadata', '169.254.170.23', '169.254.170.23', ['169.254.170.22', 'link-local'], ['169.254.170.24', 'link-local']],
  ['private', '172.16.0.0', '172.31.255.255', ['172.15.255.255', 'public'], ['172.32.0.0', 'public']],
  ['reserved', '192.0.0.0', '192.0.0.255', ['191.255.255.255', 'public'], ['192.0.1.0', 'public']],
  ['reserved', '192.0.2.0', '192.0.2.255', ['192.0.1.255', 'public'], ['192.0.3.0', 'public']],
  ['reserved', '192.88.99.0', '192.88.99.255', ['192.88.98.255', 'public'], ['192.88.100.0', 'public']],
  ['private', '192.168.0.0', '192.168.255.255', ['192.167.255.255', 'public'], ['192.169.0.0', 'public']],
  ['reserved', '198.18.0.0', '198.19.255.255', ['198.17.255.255', 'public'], ['198.20.0.0', 'public']],
  ['reserved', '198.51.100.0', '198.51.100.255', ['198.51.99.255', 'public'], ['198.51.101.0', 'public']],
  ['reserved', '203.0.113.0', '203.0.113.255', ['203.0.112.255', 'public'], ['203.0.114.0', 'public']],
  ['reserved', '224.0.0.0', '255.255.255.255', ['223.255.255.255', 'public'], undefined],
  ['loopback', '::1', '::1', ['::', 'reserved'], ['::2', 'reserved']],
  [
    'public',
    '2000::',
    '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    [`1fff:${'ffff:'.repeat(6)}ffff`, 'reserved'],
    undefined,
  ],
  ['reserved', '2001::', `2001:1ff:${'ffff:'.repeat(5)}ffff`, undefined, ['2001:200::', 'public']],
  [
    'reserved',
    '2001:db8::',
    `2001:db8:${'ffff:'.repeat(5)}ffff`,
    [`2001:db7:${'ffff:'.repeat(5)}ffff`, 'public'],
    ['2001:db9::', 'public'],
  ],
  [
    'reserved',
    '2002::',
    `2002:${'ffff:'.repeat(6)}ffff`,
    [`2001:${'ffff:'.repeat(6)}ffff`, 'public'],
    ['2003::', 'public'],
  ],
  [
    'reserved',
    '3fff::',
    `3fff:fff:${'ffff:'.repeat(5)}ffff`,
    [`3ffe:${'ffff:'.repeat(6)}ffff`, 'public'],
    ['3fff:1000::', 'public'],
  ],
  ['public', '3fff:1000::', `3fff:${'ffff:'.repeat(6)}ffff`, undefined, ['4000::', 'reserved']],
  [
    'private',
    'fc00::',
    `fdff:${'ffff:'.repeat(6)}ffff`,
    [`fbff:${'ffff:'.repeat(6)}ffff`, 'reserved'],
    ['fe00::', 'reserved'],
  ],
  ['metadata', 'fd00:ec2::23', 'fd00:ec2::23', ['fd00:ec2::22', 'private'], ['fd00:ec2::24', 'private']],
  ['metadata', 'fd20:ce::254', 'fd20:ce::254', ['fd20:ce::253', 'private'], ['fd20:ce::255', 'private']],
  ['metadata', 'fd00:ec2::254', 'fd00:ec2::254', ['fd00:ec2::253', 'private'], ['fd00:ec2::255', 'private']],
  [
    'link-local',
    'fe80::',
    `febf:${'ffff:'.repeat(6)}ffff`,
    [`fe7f:${'ffff:'.repeat(6)}ffff`, 'reserved'],
    ['fec0::', 'reserved'],
  ],
]

for (const [kind, first, last, before, after] of edges) {
  test(`${first} to ${last} is ${kind}, and its neighbours are what they are`, () => {
    const expected = [[first, kind] as const, [last, kind] as const, before, after].filter((each) => each !== undefined)
    for (const [address, of] of expected) {
      assert.equal(addressKind(address), of, address)
      if (address.includes(':')) continue
      // A public address that is written so reaches nothing by itself: it is refused.
      const mapped = of === 'public' ? 'reserved' : of
      const hex = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'))
      const [high, low] = [hex.slice(0, 2).join(''), hex.slice(2).join('')]
      for (const text of [`::ffff:${address}`, `::ffff:${high}:${low}`]) assert.equal(addressKind(text), mapped, text)
      for (const text of [`::${address}`, `64:ff9b::${address}`, `2002:${high}:${low}::`]) {
        assert.notEqual(addressKind(text), 'public', text)
      }
    }
  })
}

test('what is no address, and an address with a zone, is reserved', () => {
  for (const text of [
    '',
    'nonsense',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '2606:4700::1111%eth0',
    'fe80::1%1',
    '[::1]',
  ]) {
    assert.equal(addressKind(text), 'reserved', text)
  }
})

test('kinds of address', () => {
  const kinds = {
    '8.8.8.8': 'public',
    '2606:4700::1111': 'public',
    '168.63.129.16': 'metadata',
    'fd00:ec2::254': 'metadata',
  }
  for (const [address, kind] of Object.entries(kinds)) assert.equal(addressKind(address), kind, address)
  for (const address of ['fe80::1%eth0', 'nonsense', '2001:db8::1', '2001::1', 'ff02::1', '255.255.255.255']) {
    assert.notEqual(addressKind(address), 'public', address)
  }
})
