// Opens the components of a home: their tool source, the sandbox with its cache, secrets and limits, and the sign-in to
// them.
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, environmentVariable } from '#config.ts'
import { operator, type UserId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import type { ToolAccess } from '#core/tool-access.ts'
import type { ToolSource } from '#core/tool-source.ts'
import type { Home } from '#home.ts'
import type { Log } from '#lib/log.ts'
import type { Seal } from '#lib/seal.ts'
import type { Dial } from '#net/dial.ts'
import type { LeakScan } from '#safety/leaks.ts'
import type { ToolSecrets } from '#sandbox/auth/tool-secrets.ts'
import { readCapabilities } from '#sandbox/package/capabilities.ts'
import { createComponentSource } from '#sandbox/component-source.ts'
import type { InvokeTool } from '#sandbox/supervisor/host.ts'
import type { Sandbox } from '#sandbox/supervisor/sandbox.ts'
import { createReadWorkspace } from './invoke.ts'
import { workspaceOf } from './workspace-folder.ts'

export type ComponentParts = {
  readonly store: Store
  readonly home: Home
  readonly config: Config
  readonly scan: (user: UserId) => LeakScan
  readonly log: Log
  /** When absent, no component can run another tool. */
  readonly invokeTool?: InvokeTool
}

/** The source of the installed components; the sandbox is opened at the first call. */
export function openComponents(parts: ComponentParts): ToolSource {
  return createComponentSource({
    records: parts.store.tools,
    secrets: parts.store.secrets,
    async openSandbox() {
      const { sweepCache } = await import('#sandbox/build/prepare.ts')
      const installed = (await parts.store.tools.list()).map(({ sha256 }) => sha256)
      await sweepCache(cacheOf(parts.home), installed).catch((error: unknown) =>
        parts.log.warn({ err: error }, 'could not clear the cache of tools'),
      )
      return openSandbox(parts)
    },
    log: parts.log,
  })
}

/** True when the transpiler is installed. Starts nothing. */
export async function canRunComponents(): Promise<boolean> {
  const { findTranspiler } = await import('#sandbox/build/transpiler.ts')
  return findTranspiler() !== undefined
}

export async function openSandbox(parts: ComponentParts): Promise<Sandbox> {
  const { createSandbox } = await import('#sandbox/supervisor/sandbox.ts')
  const { store, home, config, scan, log } = parts
  const { toolSecrets, dial } = await openSecrets(parts)
  return createSandbox({
    cacheFolder: cacheOf(home),
    maxProcesses: config.toolProcesses,
    limits: store.persistentLimits,
    scan,
    dial,
    log,
    now: Date.now,
    secret: (...which) => toolSecrets.valueOf(...which),
    readWorkspace: createReadWorkspace({
      folderOf: (user) => workspaceOf(config, user),
      home: realpathSync(home.path),
    }),
    ...(parts.invokeTool && { invokeTool: parts.invokeTool }),
  })
}

/** The real path: a tool's process may read only this folder, not a symbolic link to it. */
function cacheOf(home: Home): string {
  return join(realpathSync(home.path), 'cache', 'tools')
}

export type AccessParts = Omit<ComponentParts, 'home'> & { readonly seal: Seal }

/** How users sign in to tools and set their secrets. */
export async function openAccess(parts: AccessParts): Promise<ToolAccess> {
  const [{ createToolAccess }, { createTokenCheck }] = await Promise.all([
    import('#sandbox/auth/tool-access.ts'),
    import('#sandbox/auth/token-check.ts'),
  ])
  const { store, scan, seal } = parts
  const { toolSecrets, dial } = await openSecrets(parts)
  return createToolAccess({
    records: store.tools,
    secrets: store.secrets,
    toolSecrets,
    seal,
    check: createTokenCheck({ limits: store.persistentLimits, scan: () => scan(operator), dial, now: Date.now }),
    environment: environmentVariable,
    dial,
    now: Date.now,
  })
}

async function openSecrets({ store, config, log }: Pick<ComponentParts, 'store' | 'config' | 'log'>): Promise<{
  readonly toolSecrets: ToolSecrets
  readonly dial: Dial
}> {
  const [{ createToolSecrets }, { createDial }, { resolveName }] = await Promise.all([
    import('#sandbox/auth/tool-secrets.ts'),
    import('#net/dial.ts'),
    import('#net/resolve.ts'),
  ])
  const dial = createDial({ lookup: resolveName, proxy: config.proxy })
  const toolSecrets = createToolSecrets({
    secrets: store.secrets,
    environment: environmentVariable,
    async capabilitiesOf(tool) {
      const record = (await store.tools.list()).find(({ name }) => name === tool)
      return record && readCapabilities(record.capabilities).capabilities
    },
    dial,
    now: Date.now,
    log,
  })
  return { toolSecrets, dial }
}
