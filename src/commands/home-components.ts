// Opens what the components of this home need for one command, with or without a running service.
import { loadConfig } from '#config.ts'
import { operator } from '#core/ids.ts'
import type { AccessParts, ComponentParts } from '#app/components.ts'
import { createScans } from '#app/leak-scans.ts'
import { openHomeStore } from '#app/open-storage.ts'
import { ownSecretsOf } from '#app/own-secrets.ts'
import { storeShipped } from '#app/shipped-tools.ts'
import { silentLog } from '#lib/log.ts'

/** Opens the store with the operator's secrets in the leak scan, does the work, and always closes it. */
export async function withComponents(work: (parts: ComponentParts & AccessParts) => Promise<void>): Promise<void> {
  const config = loadConfig()
  const { home, store, seal } = await openHomeStore(config)
  try {
    await storeShipped(store, silentLog)
    const scans = createScans({ secrets: store.secrets, own: () => ownSecretsOf(home, config) })
    await scans.read(operator)
    await work({ home, store, seal, config, scan: scans.of, log: silentLog })
  } finally {
    await store.close()
  }
}
