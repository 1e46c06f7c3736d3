// Administration of tools: which there are, which are offered to the agent, and one call to try one.
import type { ToolAdmin } from '#core/admin.ts'
import type { Store } from '#core/store.ts'
import type { JoinedSources } from './tool-sources.ts'

/** The setting that names the tools which are switched off. */
const toolsOff = 'tools_off'

export type ToolAdminParts = {
  readonly settings: Store['settings']
  readonly sources: Pick<JoinedSources, 'view' | 'test' | 'remove'>
  readonly reload: () => Promise<void>
}

export function createToolAdmin({ settings, sources, reload }: ToolAdminParts): ToolAdmin {
  return {
    async list() {
      const [stored, views] = await Promise.all([settings.all(), sources.view()])
      const off = offIn(stored)
      return views.map((view) => ({ ...view, enabled: !off.includes(view.name) }))
    },
    async enable(name, enabled) {
      if (!(await sources.view()).some((view) => view.name === name)) return false
      await settings.change((stored) => {
        const off = offIn(stored).filter((each) => each !== name)
        return { [toolsOff]: enabled ? off : [...off, name] }
      })
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

/** The names that the setting holds. */
export function offIn(settings: Readonly<Record<string, unknown>>): string[] {
  const value = settings[toolsOff]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
