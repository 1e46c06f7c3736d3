// The components of a home: the sandbox with its cache, its secrets and its limits, and the source of their tools.
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, environmentVariable } from '#config.ts'
import type { Store } from '#core/store.ts'
import type { ToolSource } from '#core/tool.ts'
import type { Home } from '#home.ts'
import type { Log } from '#lib/log.ts'
import type { LeakScan } from '#safety/leaks.ts'
import type { Sandbox } from '#sandbox/supervisor/sandbox.ts'

export type ComponentParts = {
  readonly store: Store
  readonly home: Home
  readonly config: Config
  readonly scan: () => LeakScan
  readonly log: Log
}

/** The source of the installed components; the sandbox itself is opened at the first call of one. */
export async function openComponents(parts: ComponentParts): Promise<ToolSource> {
  const { createComponentSource } = await import('#sandbox/source.ts')
  return createComponentSource({
    records: parts.store.tools,
    openSandbox: () => openSandbox(parts),
    log: parts.log,
  })
}

/** True when the transpiler is there; a look, nothing is started. */
export async function canRunComponents(): Promise<boolean> {
  const { findTranspiler } = await import('#sandbox/build/transpiler.ts')
  return findTranspiler() !== undefined
}

export async function openSandbox({ store, home, config, scan, log }: ComponentParts): Promise<Sandbox> {
  const { createSandbox } = await import('#sandbox/supervisor/sandbox.ts')
  return createSandbox({
    // The real path: a tool's process may read this folder and nothing else, not even a link to it.
    cacheFolder: join(realpathSync(home.path), 'cache', 'tools'),
    maxProcesses: config.toolProcesses,
    scan,
    limits: store.lastingLimits,
    proxy: config.proxy,
    log,
    now: Date.now,
    // By the file that the running code was installed with: an update changes nothing for a call under way.
    async secret(name, { name: tool, capabilities: { auth } }) {
      const variable = auth?.secretName === name ? auth.envVar : undefined
      return (variable && environmentVariable(variable)) || (await store.secrets.get(toolSecret(tool, name)))
    },
  })
}

/** Where a tool's secret is kept: apart from provider keys and from other tools', which it cannot name. */
export function toolSecret(tool: string, name: string): string {
  return `tool/${tool}/${name}`
}
