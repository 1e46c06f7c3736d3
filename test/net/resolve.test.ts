// Names to addresses for tools.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resolveName } from '#net/resolve.ts'

test('this machine is known without a name server', async () => {
  const found = await resolveName('localhost')
  assert(found.length > 0 && found.every(({ address }) => address === '127.0.0.1' || address === '::1'))
})
