// Masks that know one secret, and servers in a store with the verbs for the operator.
import type { Store } from '#core/store.ts'
import { silentLog } from '#lib/log.ts'
import { createMcpAdmin, type Masks, type Switches } from '#mcp/admin.ts'
import { createServers } from '#mcp/servers.ts'

/** No tool is switched off. */
export const allOn: Switches = { off: () => [], switchOn: () => Promise.resolve() }

type OpenTransport = Parameters<typeof createServers>[0]['openTransport']

export function createMasks(secret = 'sesame-open'): Masks {
  const mask = (text: string): string => text.replaceAll(secret, '***')
  return { mask, maskLong: (text) => Promise.resolve(mask(text)) }
}

export function openServers({ mcp: store, secrets }: Pick<Store, 'mcp' | 'secrets'>, openTransport: OpenTransport) {
  const limits = { callMs: 60_000, idleMs: 60_000, probeMs: 60_000, version: '1' }
  const servers = createServers({ store, openTransport, log: silentLog, ...limits })
  return { servers, admin: createMcpAdmin({ servers, store, secrets, switches: allOn, ...createMasks() }) }
}
