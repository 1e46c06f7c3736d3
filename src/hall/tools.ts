// The tools of the service: the built-in ones and the installed components, read again when they change.
import { realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#config.ts'
import { environmentVariable } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { isObject, type JsonObject } from '#core/json.ts'
import type { Store, ToolRecord } from '#core/store.ts'
import type { Tool } from '#core/tool.ts'
import type { Home } from '#home.ts'
import type { Log } from '#lib/log.ts'
import { inCheckout } from '#lib/place.ts'
import type { Sandbox } from '#sandbox/supervisor/sandbox.ts'
import type { InstalledTool } from '#sandbox/tool.ts'
import type { Tools } from '#turns/runner.ts'

/** The components that come with the project: installed once, and again when a new version brings another. */
const defaults = ['weather'] as const
const defaultsSetting = 'default_tools'

export type ToolshedParts = {
  readonly builtIn: readonly Tool[]
  readonly store: Store
  readonly home: Home
  readonly config: Config
  readonly log: Log
}

export interface Toolshed {
  tools(): Tools
  /** Reads the installed tools again. */
  reload(): Promise<void>
  /** Installs what comes with the project, unless that was done before; it takes a second or two. */
  installDefaults(onInstall?: (name: string) => void): Promise<void>
  close(): Promise<void>
}

export async function openToolshed(parts: ToolshedParts): Promise<Toolshed> {
  const { builtIn, store, home, config, log } = parts
  let current = toolSet(builtIn)
  let installedNames: ReadonlySet<string> = new Set()
  let opened: Promise<Sandbox> | undefined
  let installing: Promise<void> | undefined
  const closing = new AbortController()
  const sandbox = (): Promise<Sandbox> => {
    opened ??= openSandbox({ store, home, config, log })
    return opened
  }

  /** A component's code is made (or found in the cache) when it is first called in this process. */
  function toolsOf(record: ToolRecord, installed: InstalledTool, make: Sandbox['tools']): Tool[] {
    let ready: Promise<Tool[]> | undefined
    const prepare = (): Promise<Tool[]> => {
      ready ??= prepareTool(record, { store, sandbox }).catch((error: unknown) => {
        ready = undefined
        throw asAppError(error)
      })
      return ready
    }
    return make(installed).map((tool, at) => ({
      ...tool,
      async run(args, context) {
        // A turn keeps the tools it began with, but one that was removed must not be called again.
        if (!installedNames.has(record.name)) throw new AppError('not_found', `${record.name} is no longer installed`)
        const prepared = (await prepare())[at]
        if (!prepared) throw new AppError('not_found', `${record.name} has changed: try again`)
        return prepared.run(args, context).catch((error: unknown) => {
          throw asAppError(error)
        })
      },
    }))
  }

  async function reload(): Promise<void> {
    const records = await store.tools.list()
    installedNames = new Set(records.map(({ name }) => name))
    if (records.length === 0) {
      current = toolSet(builtIn)
      return
    }
    const [{ readCapabilities }, { agentTools, nameKey }] = await Promise.all([
      import('#sandbox/package/capabilities.ts'),
      import('#sandbox/tool.ts'),
    ])
    const unprepared: Sandbox['tools'] = (tool) => agentTools(tool, () => Promise.reject(new Error('not prepared')))
    // Who was there first keeps a name: two tools of one name would make a provider refuse every turn.
    const taken = new Set(builtIn.map(({ spec }) => nameKey(spec.name)))
    const components = new Map<string, Tool[]>()
    for (const record of records.toSorted((a, b) => a.installedAt - b.installedAt)) {
      try {
        const { capabilities } = readCapabilities(record.capabilities)
        const installed = { ...record, folder: '', capabilities, schema: schemaOf(record) }
        const tools = toolsOf(record, installed, unprepared)
        const keys = tools.map(({ spec }) => nameKey(spec.name))
        const clash = tools.find((_, at) => taken.has(keys[at] ?? '') || keys.indexOf(keys[at] ?? '') !== at)
        if (clash) throw new AppError('tool_refused', `${clash.spec.name} is the name of another tool`)
        for (const key of keys) taken.add(key)
        components.set(record.name, tools)
      } catch (error) {
        log.error({ tool: record.name, err: error }, 'an installed tool is left out')
      }
    }
    current = toolSet([...builtIn, ...records.flatMap(({ name }) => components.get(name) ?? [])])
  }

  async function installDefault(
    name: string,
    known: JsonObject,
    onInstall: (name: string) => void,
  ): Promise<string | undefined> {
    const folder = inCheckout('tools', name)
    const [component, capabilities] = await Promise.all([
      readFile(join(folder, 'dist', `${name}.wasm`)),
      readFile(join(folder, 'capabilities.json'), 'utf8'),
    ])
    const { hashOf } = await import('#sandbox/build/prepare.ts')
    const sha256 = hashOf(component)
    const there = (await store.tools.list()).find((tool) => tool.name === name)
    // Removed by hand, or replaced by another of this name: it is the operator's choice.
    if (known[name] === sha256 || (there && there.sha256 !== known[name])) return undefined
    if (known[name] !== undefined && !there) return undefined
    onInstall(name)
    const loaded = await (await sandbox()).load({ name, component, capabilities }, closing.signal)
    closing.signal.throwIfAborted()
    await store.tools.put(
      { name, sha256, capabilities, description: loaded.description, schema: JSON.stringify(loaded.schema) },
      component,
    )
    return sha256
  }

  async function installAll(onInstall: (name: string) => void): Promise<void> {
    for (const name of defaults) {
      try {
        const stored = (await store.settings.all())[defaultsSetting]
        const known = isObject(stored) ? stored : {}
        const sha256 = await installDefault(name, known, onInstall)
        if (sha256 === undefined) continue
        await store.settings.set(defaultsSetting, { ...known, [name]: sha256 })
        await reload()
        log.info({ tool: name }, 'installed a tool that comes with Atrium')
      } catch (error) {
        // The next start does it.
        if (closing.signal.aborted) return
        log.warn({ tool: name, err: error }, 'a tool that comes with Atrium could not be installed')
      }
    }
  }

  await reload()
  return {
    tools: () => current,
    reload,
    installDefaults(onInstall = () => {}) {
      installing ??= installAll(onInstall).finally(() => {
        installing = undefined
      })
      return installing
    },
    async close() {
      closing.abort()
      await installing
      await (await opened)?.close()
    },
  }
}

/** The sandbox of a home: its cache, its secrets, its limits. */
export async function openSandbox({ store, home, config, log }: Omit<ToolshedParts, 'builtIn'>): Promise<Sandbox> {
  const { createSandbox } = await import('#sandbox/supervisor/sandbox.ts')
  return createSandbox({
    // The real path: a tool's process may read this folder and nothing else, not even a link to it.
    cacheFolder: join(realpathSync(home.path), 'cache', 'tools'),
    maxProcesses: config.toolProcesses,
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

async function prepareTool(
  record: ToolRecord,
  { store, sandbox }: { store: Store; sandbox: () => Promise<Sandbox> },
): Promise<Tool[]> {
  const component = await store.tools.component(record.name)
  if (!component) throw new AppError('not_found', `${record.name} is no longer installed`)
  const box = await sandbox()
  const loaded = await box.load({ name: record.name, component, capabilities: record.capabilities })
  // Between the two reads it may have been replaced: new code must not run with the rights of the old.
  if (loaded.sha256 !== record.sha256) throw new AppError('not_found', `${record.name} has changed: try again`)
  return box.tools(loaded)
}

function schemaOf({ schema }: ToolRecord): JsonObject {
  return JSON.parse(schema) as JsonObject
}

function toolSet(list: readonly Tool[]): Tools {
  return { byName: new Map(list.map((tool) => [tool.spec.name, tool])), specs: list.map(({ spec }) => spec) }
}

/** A fault of the sandbox in the words of the house; a missing credential keeps its code, since the loop acts on it. */
export function asAppError(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'ToolFault') return error
  const missing = (error as Error & { code?: string }).code === 'credential_missing'
  return new AppError(missing ? 'credential_missing' : 'tool_refused', error.message, { cause: error })
}
