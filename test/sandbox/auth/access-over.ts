// The sign-ins of tools over a store of the tests, with variables that the test gives.
import type { Store } from '#core/store.ts'
import { silentLog } from '#lib/log.ts'
import { createSeal } from '#lib/seal.ts'
import { createDial } from '#net/dial.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { createToolAccess } from '#sandbox/auth/tool-access.ts'
import { createTokenCheck } from '#sandbox/auth/token-check.ts'
import { createToolSecrets, type ToolSecrets } from '#sandbox/auth/tool-secrets.ts'
import { readCapabilities } from '#sandbox/package/capabilities.ts'
import { noLimits } from '../rig.ts'

export const seal = createSeal('0'.repeat(64))

type Given = {
  readonly store: Store
  readonly now: () => number
  readonly env?: Readonly<Record<string, string>>
}

export function accessOver({ store, now, env = {} }: Given) {
  const dial = createDial({ lookup: () => Promise.resolve([]) })
  const environment = (name: string): string | undefined => env[name]
  const capabilitiesOf = async (tool: string) => {
    const record = (await store.tools.list()).find(({ name }) => name === tool)
    return record && readCapabilities(record.capabilities).capabilities
  }
  /** A process of its own over the same store. */
  const secrets = (): ToolSecrets =>
    createToolSecrets({ secrets: store.secrets, environment, capabilitiesOf, dial, now, log: silentLog })
  const toolSecrets = secrets()
  const check = createTokenCheck({ limits: noLimits, scan: () => createLeakScan(), dial, now })
  const parts = { records: store.tools, secrets: store.secrets, toolSecrets, seal, check, environment, dial, now }
  return { access: createToolAccess(parts), secrets, toolSecrets, capabilitiesOf }
}
