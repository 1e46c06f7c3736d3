// Which address a request counts for.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { createClientAddress, networkOf, type Trust } from '#http/address.ts'

const table: readonly [trust: Trust, remote: string | undefined, forwarded: string | undefined, client: string][] = [
  [false, '203.0.113.9', undefined, '203.0.113.9'],
  [false, '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  [false, '::ffff:203.0.113.9', undefined, '203.0.113.9'],
  [false, undefined, '198.51.100.1', 'unknown'],
  [1, '10.0.0.1', undefined, '10.0.0.1'],
  [1, '10.0.0.1', '198.51.100.1', '198.51.100.1'],
  [1, '10.0.0.1', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
  [1, '10.0.0.1', '198.51.100.1:5555', '198.51.100.1'],
  [1, '10.0.0.1', '[2001:DB8::1]:5555', '2001:db8::1'],
  [1, '10.0.0.1', '2001:db8::1', '2001:db8::1'],
  [1, '10.0.0.1', 'unknown', '10.0.0.1'],
  [1, '10.0.0.1', '', '10.0.0.1'],
  [1, '10.0.0.1', '6.6.6.6, <script>', '10.0.0.1'],
  [2, '10.0.0.1', '6.6.6.6, 198.51.100.1, 10.0.0.2', '198.51.100.1'],
  [2, '10.0.0.1', '198.51.100.1', '198.51.100.1'],
  [['10.0.0.0/8'], '10.0.0.1', '198.51.100.1, 10.9.9.9', '198.51.100.1'],
  [['10.0.0.0/8'], '10.0.0.1', '198.51.100.1, 10.9.9.9:443', '198.51.100.1'],
  [['10.0.0.0/8'], '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  [['10.0.0.1'], '10.0.0.1', '6.6.6.6, 10.0.0.2', '10.0.0.2'],
  [['10.0.0.1', '::1'], '::1', '198.51.100.1', '198.51.100.1'],
  [['10.0.0.0/8'], '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
  [['fd00::/8'], 'fd00::1', '198.51.100.1', '198.51.100.1'],
  [['10.0.0.0/8'], undefined, '198.51.100.1', 'unknown'],
]

for (const [trust, remote, forwarded, client] of table) {
  test(`trusting ${JSON.stringify(trust)}, ${remote} that forwards ${forwarded} is ${client}`, () => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    const socket = { remoteAddress: remote } as Socket
    assert.equal(createClientAddress(trust)({ headers, socket }), client)
  })
}

const networks: readonly [address: string, network: string][] = [
  ['203.0.113.9', '203.0.113.9'],
  ['unknown', 'unknown'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1:2:3:4', 'fe80:0:0:0::/64'],
]

for (const [address, network] of networks) {
  test(`a limit counts ${address} as ${network}`, () => assert.equal(networkOf(address), network))
}
