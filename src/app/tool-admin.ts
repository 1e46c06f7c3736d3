// The desk for tools: which there are, which are offered to the agent, and one call to try one.
import type { ToolDesk, ToolView } from '#core/admin.ts'
import { AppError } from '#core/errors.ts'
import type { JsonObject } from '#core/json.ts'
import type { Store } from '#core/store.ts'
import type { Tool } from '#core/tool.ts'
import { toolSecret } from '#sandbox/auth/needs.ts'
import { readCapabilities } from '#sandbox/package/capabilities.ts'
import { asAppError } from '#sandbox/component-tools.ts'
import type { Sandbox } from '#sandbox/supervisor/sandbox.ts'
import { tryBuiltIn } from './try-tool.ts'

/** The setting that names the tools which are switched off. */
const toolsOff = 'tools_off'

export type ToolDeskParts = {
  readonly store: Pick<Store, 'tools' | 'settings' | 'secrets'>
  readonly builtIn: () => readonly Tool[]
  readonly sandbox: () => Promise<Sandbox>
  readonly reload: () => Promise<void>
}

export function createToolDesk({ store, builtIn, sandbox, reload }: ToolDeskParts): ToolDesk {
  const namesOff = async (): Promise<string[]> => offIn(await store.settings.all())
  return {
    async list() {
      const [off, records, { accessRows, limitsRow }] = await Promise.all([
        namesOff(),
        store.tools.list(),
        import('#sandbox/package/access.ts'),
      ])
      // One file that cannot be read, by an earlier version's rules or a later one's, does not hide the other tools.
      const told = (text: string): Pick<ToolView, 'version' | 'access'> => {
        try {
          const { capabilities } = readCapabilities(text)
          return {
            version: capabilities.version,
            access: [...accessRows(capabilities), limitsRow(capabilities)],
          }
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error)
          return { access: [{ kind: 'unreadable', reason }] }
        }
      }
      const own = builtIn().map(({ spec }) => ({
        name: spec.name,
        description: spec.description,
        source: 'built-in' as const,
        enabled: !off.includes(spec.name),
        schema: spec.parameters,
      }))
      const installed = records.map((record) => {
        return {
          name: record.name,
          description: record.description,
          source: 'component' as const,
          enabled: !off.includes(record.name),
          schema: JSON.parse(record.schema) as JsonObject,
          sha256: record.sha256,
          ...told(record.capabilities),
          installedAt: record.installedAt,
        }
      })
      return [...own, ...installed]
    },
    async enable(name, enabled) {
      const known = builtIn().some(({ spec }) => spec.name === name)
      if (!known && !(await store.tools.list()).some((record) => record.name === name)) return false
      await store.settings.change((stored) => {
        const off = offIn(stored).filter((each) => each !== name)
        return { [toolsOff]: enabled ? off : [...off, name] }
      })
      await reload()
      return true
    },
    async remove(name) {
      if (builtIn().some(({ spec }) => spec.name === name))
        throw new AppError('tool_refused', `${name} is built in: it can be switched off, not removed`)
      if (!(await removeComponent(store, name))) return false
      await reload()
      return true
    },
    async test(name, call) {
      const own = builtIn().find(({ spec }) => spec.name === name)
      if (own) return tryBuiltIn(own, call.params)
      const record = (await store.tools.list()).find((each) => each.name === name)
      const component = record && (await store.tools.component(name))
      if (!component) return undefined
      const open = await sandbox()
      try {
        return await open.testCall(await open.load({ name, component, capabilities: record.capabilities }), call)
      } catch (error) {
        throw asAppError(error)
      }
    },
  }
}

/** False when there is no component of this name. */
export async function removeComponent(store: Pick<Store, 'tools' | 'secrets'>, name: string): Promise<boolean> {
  if (!(await store.tools.list()).some((tool) => tool.name === name)) return false
  // The next tool of this name may be a stranger's: it does not inherit what this one was trusted with. They go first:
  // cut off in between, the tool is still there to be removed again.
  await store.secrets.removeBelow(toolSecret(name, ''))
  await store.tools.remove(name)
  return true
}

/** The names that the setting holds. */
export function offIn(settings: Readonly<Record<string, unknown>>): string[] {
  const value = settings[toolsOff]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
