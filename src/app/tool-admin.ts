// Administration of tools: list, enable or disable, remove, and test with one call.
import type { ToolAdmin } from '#core/admin.ts'
import type { Store } from '#core/store.ts'
import { policyInForce, type PolicySettings } from '#safety/policy-table.ts'
import type { JoinedSources } from './tool-sources.ts'

/** The setting with the names of disabled tools. */
const toolsOff = 'tools_off'

export type ToolAdminParts = {
  readonly settings: Store['settings']
  readonly sources: Pick<JoinedSources, 'view' | 'test' | 'remove'>
  /** The operator's policy settings. */
  readonly policy: () => PolicySettings
  readonly reload: () => Promise<void>
}

export function createToolAdmin({ settings, sources, policy, reload }: ToolAdminParts): ToolAdmin {
  return {
    async list() {
      const [stored, views] = await Promise.all([settings.all(), sources.view()])
      const off = offIn(stored)
      return views.map(({ rows, ...view }) => ({
        ...view,
        enabled: !off.includes(view.name),
        ...policyInForce(rows, policy()),
      }))
    },
    async enable(name, enabled) {
      if (!(await sources.view()).some((view) => view.name === name)) return false
      await switchTool(settings, name, enabled)
      await reload()
      return true
    },
    async remove(name) {
      if (!(await sources.remove(name))) return false
      await reload()
      return true
    },
    test: (name, call) => sources.test(name, call),
  }
}

export async function switchTool(settings: Store['settings'], name: string, enabled: boolean): Promise<void> {
  await settings.change((stored) => {
    const off = offIn(stored).filter((each) => each !== name)
    return { [toolsOff]: enabled ? off : [...off, name] }
  })
}

/** The names of disabled tools. */
export function offIn(settings: Readonly<Record<string, unknown>>): string[] {
  const value = settings[toolsOff]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
