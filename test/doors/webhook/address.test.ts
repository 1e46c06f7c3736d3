// Which address a request counts for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClientAddress, type Trust } from '#doors/webhook/address.ts'

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
  [['10.0.0.0/8'], '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  [['10.0.0.1'], '10.0.0.1', '6.6.6.6, 10.0.0.2', '10.0.0.2'],
  [['10.0.0.1', '::1'], '::1', '198.51.100.1', '198.51.100.1'],
  [['10.0.0.0/8'], '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
  [['fd00::/8'], 'fd00::1', '198.51.100.1', '198.51.100.1'],
  [['10.0.0.0/8'], undefined, '198.51.100.1', 'unknown'],
]

for (const [trust, remote, forwarded, client] of table) {
  test(`trusting ${JSON.stringify(trust)}, ${remote} that forwards ${forwarded} is ${client}`, () => {
    assert.equal(createClientAddress(trust)(remote, forwarded), client)
  })
}
