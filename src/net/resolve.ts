// Resolves names for tools. The system resolver has two threads for the whole service, and a tool's author may run a
// name server that never answers. So tools use DNS over the network, which needs no thread, with a deadline.
import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { isLoopbackHost } from '#safety/urls.ts'
import { NetworkFault } from './network-fault.ts'

const timeoutMs = 3_000
const tries = 2
/** Further addresses of a name are not tried. */
const maxAddresses = 8

/** The addresses of a name, IPv4 first. */
export async function resolveName(host: string): Promise<readonly LookupAddress[]> {
  if (isLoopbackHost(host)) return lookup(host, { all: true })
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = [
    ...addressesOf(v4).map((address) => ({ address, family: 4 })),
    ...addressesOf(v6).map((address) => ({ address, family: 6 })),
  ]
  if (found.length > 0) return found.slice(0, maxAddresses)
  const reason: unknown = v4.status === 'rejected' ? v4.reason : new NetworkFault('the name has no address')
  // No DNS server runs, so this machine resolves names another way, and no foreign name server is involved.
  if (codeOf(reason) === 'ECONNREFUSED') return lookup(host, { all: true })
  throw reason
}

function addressesOf(settled: PromiseSettledResult<string[]>): string[] {
  return settled.status === 'fulfilled' ? settled.value : []
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
