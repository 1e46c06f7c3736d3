// The installed components as a source of tools. Schemas and descriptions come from the store; the code of a component is
// prepared at its first call.
import { AppError } from '#core/errors.ts'
import type { JsonObject } from '#core/json.ts'
import type { SecretStore } from '#core/secret.ts'
import type { ToolRecord, ToolStore } from '#core/tool-record.ts'
import type { ToolSource } from '#core/tool-source.ts'
import type { Tool } from '#core/tool.ts'
import { loadOnce } from '#lib/load-once.ts'
import type { Log } from '#lib/log.ts'
import { storedSecretName } from '#sandbox/auth/needs.ts'
import { readCapabilities } from '#sandbox/package/capabilities.ts'
import type { Sandbox } from '#sandbox/supervisor/sandbox.ts'
import { agentTools, asAppError, componentNameFault, type Execute, type InstalledTool } from './component-tools.ts'

export type ComponentSourceParts = {
  readonly records: Pick<ToolStore, 'list' | 'component' | 'remove'>
  readonly secrets: Pick<SecretStore, 'removeBelow'>
  /** Opens the sandbox. Called at the first call of any tool, and again if that failed. */
  readonly openSandbox: () => Promise<Sandbox>
  readonly log: Log
}

type Built = { readonly record: ToolRecord; readonly tools: readonly Tool[] }

export function createComponentSource({ records, secrets, openSandbox, log }: ComponentSourceParts): ToolSource {
  let installed: readonly ToolRecord[] = []
  let built: ReadonlyMap<string, Built> = new Map()
  /** Undefined until they are asked for: reading the capability files takes longer than reading the records. */
  let tools: readonly Tool[] | undefined
  const sandbox = loadOnce(openSandbox)

  /** Prepares the code of a record. The component may have been replaced since: new code with old rights is refused. */
  async function prepare(record: ToolRecord): Promise<InstalledTool['folder']> {
    const component = await records.component(record.name)
    if (!component) throw new AppError('not_found', `${record.name} is no longer installed`)
    const { sha256, folder } = await (await sandbox()).prepare(component)
    if (sha256 !== record.sha256) throw new AppError('not_found', `${record.name} has changed: try again`)
    return folder
  }

  function build(record: ToolRecord): readonly Tool[] {
    const { capabilities } = readCapabilities(record.capabilities)
    const fault = componentNameFault(record.name, capabilities.actions)
    if (fault) throw new AppError('tool_refused', fault)
    const { name, sha256, description } = record
    const tool = { name, sha256, description, capabilities, schema: JSON.parse(record.schema) as JsonObject }
    const ready = loadOnce(() => prepare(record))
    const execute: Execute = async (call) => {
      // A turn keeps the tools it started with, but a removed tool must not be called again.
      if (!installed.some((each) => each.name === name)) {
        throw new AppError('not_found', `${name} is no longer installed`)
      }
      try {
        const folder = await ready()
        return await (await sandbox()).execute({ ...tool, folder }, call)
      } catch (error) {
        throw asAppError(error)
      }
    }
    return agentTools(tool, execute)
  }

  /** The tools of a record. An unchanged record keeps its tools, and with them their prepared code. */
  function toolsOf(record: ToolRecord): readonly Tool[] | undefined {
    const before = built.get(record.name)
    if (before && sameTool(before.record, record)) return before.tools
    try {
      return build(record)
    } catch (error) {
      log.error({ tool: record.name, err: error }, 'an installed tool could not be loaded and is left out')
      return undefined
    }
  }

  const find = async (name: string): Promise<ToolRecord | undefined> =>
    (await records.list()).find((record) => record.name === name)

  return {
    tools() {
      if (tools) return tools
      built = new Map(
        installed.flatMap((record) => {
          const each = toolsOf(record)
          return each ? [[record.name, { record, tools: each }] as const] : []
        }),
      )
      return (tools = [...built.values()].flatMap((each) => each.tools))
    },
    async view() {
      const [list, { componentView }] = await Promise.all([records.list(), import('./component-view.ts')])
      return list.map(componentView)
    },
    async test(name, call) {
      const record = await find(name)
      const component = record && (await records.component(name))
      if (!component) return undefined
      const open = await sandbox()
      try {
        return await open.testCall(await open.load({ name, component, capabilities: record.capabilities }), call)
      } catch (error) {
        throw asAppError(error)
      }
    },
    async remove(name) {
      if (!(await find(name))) return false
      // A later tool of this name must not inherit the secrets. They are removed first: if the service stops in between,
      // the tool is still listed and can be removed again.
      await secrets.removeBelow(storedSecretName(name, ''))
      await records.remove(name)
      return true
    },
    async reload() {
      installed = (await records.list()).toSorted((a, b) => a.installedAt - b.installedAt)
      tools = undefined
    },
    close: async () => (await sandbox.begun())?.close(),
  }
}

function sameTool(before: ToolRecord, now: ToolRecord): boolean {
  return (
    before.sha256 === now.sha256 &&
    before.capabilities === now.capabilities &&
    before.description === now.description &&
    before.schema === now.schema
  )
}
