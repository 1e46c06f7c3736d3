// Names to addresses for tools.
import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { type TestContext, test } from 'node:test'
import { resolveName } from '#net/resolve.ts'

type Answer = readonly string[] | string

/** A name server that answers so; a word is the code it fails with. */
function serve(t: TestContext, { v4, v6 }: { readonly v4: Answer; readonly v6: Answer }): void {
  const answered = (answer: Answer) => async (): Promise<string[]> => {
    await Promise.resolve()
    if (typeof answer !== 'string') return [...answer]
    throw Object.assign(new Error(answer), { code: answer })
  }
  t.mock.method(Resolver.prototype, 'resolve4', answered(v4))
  t.mock.method(Resolver.prototype, 'resolve6', answered(v6))
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `192.0.2.${at}`)

test('this machine is known without a name server', async (t) => {
  serve(t, { v4: 'ENOTFOUND', v6: 'ENOTFOUND' })
  const found = await resolveName('localhost')
  assert(found.length > 0 && found.every(({ address }) => address === '127.0.0.1' || address === '::1'))
})

const rows: readonly [what: string, served: { v4: Answer; v6: Answer }, found: readonly string[]][] = [
  ['both kinds, IPv4 first', { v4: ['192.0.2.1'], v6: ['2001:db8::1'] }, ['4 192.0.2.1', '6 2001:db8::1']],
  ['IPv4 alone', { v4: ['192.0.2.1'], v6: 'ENODATA' }, ['4 192.0.2.1']],
  ['IPv6 alone', { v4: 'ENODATA', v6: ['2001:db8::1'] }, ['6 2001:db8::1']],
  ['eight addresses', { v4: numbered(8), v6: [] }, numbered(8).map((address) => `4 ${address}`)],
  ['the first eight of more', { v4: numbered(9), v6: ['2001:db8::1'] }, numbered(8).map((address) => `4 ${address}`)],
]
for (const [what, served, expected] of rows) {
  test(`a name has ${what}`, async (t) => {
    serve(t, served)
    const found = await resolveName('a.example')
    assert.deepEqual(
      found.map(({ address, family }) => `${family} ${address}`),
      expected,
    )
  })
}

test('a name without an address is a fault, the one that the name server tells', async (t) => {
  serve(t, { v4: 'ENOTFOUND', v6: 'ENODATA' })
  await assert.rejects(resolveName('a.example'), { code: 'ENOTFOUND' })
  serve(t, { v4: [], v6: 'ESERVFAIL' })
  await assert.rejects(resolveName('a.example'), /the name has no address/)
})

test('where no name server runs this machine is asked', async (t) => {
  serve(t, { v4: 'ECONNREFUSED', v6: 'ECONNREFUSED' })
  // Known to the machine without a network; it is no name of a loopback host to us.
  assert.deepEqual(await resolveName('192.0.2.7'), [{ address: '192.0.2.7', family: 4 }])
})
