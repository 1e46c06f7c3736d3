// Opens the tools of the service: the joined sources, the sign-in to tools, and their administration.
import type { ToolAdmin } from '#core/admin.ts'
import type { UserId } from '#core/ids.ts'
import type { McpServers } from '#core/mcp.ts'
import type { Judged, Verdict } from '#core/policy.ts'
import type { ToolAccess } from '#core/tool-access.ts'
import type { Tools, ToolSpec } from '#core/tool.ts'
import { loadOnce } from '#lib/load-once.ts'
import type { Log } from '#lib/log.ts'
import type { Documents } from '#memory/documents.ts'
import type { Skills } from '#skills/skills.ts'
import type { Missions } from '#missions/missions.ts'
import { openBuiltInSources } from './built-in-sources.ts'
import { openAccess, openComponents } from './components.ts'
import { createInvoke } from './invoke.ts'
import type { LiveSettings } from './live-settings.ts'
import { openMcp } from './open-mcp.ts'
import type { HomeStore } from './open-storage.ts'
import type { Policy } from './policy.ts'
import { storeShipped } from './shipped-tools.ts'
import { createToolAdmin, offIn, switchTool } from './tool-admin.ts'
import { joinSources } from './tool-sources.ts'

export type OpenTools = {
  /** The tools that a user's agent has. */
  readonly tools: (user: UserId) => Tools
  /** True for the spec of a built-in tool. */
  readonly isBuiltIn: (spec: ToolSpec) => boolean
  /** How users sign in to tools and set their secrets. */
  readonly access: () => Promise<ToolAccess>
  readonly admin: ToolAdmin
  /** MCP servers; loaded when they are first asked for. */
  readonly mcp: () => Promise<McpServers>
  close(): Promise<void>
}

export type OpenToolsParts = HomeStore & {
  readonly live: LiveSettings
  readonly documents: Documents
  readonly skills: Skills
  readonly policy: Policy
  /** Loaded when a call needs them. */
  readonly missions: () => Promise<Missions>
  readonly log: Log
}

export async function openTools(parts: OpenToolsParts): Promise<OpenTools> {
  const { home, store, seal, live, documents, skills, policy, log } = parts
  const { scan, reload } = live
  const config = live.config()
  /** Reads the grants first: a tool may be tested before any turn of its user has run. */
  const judge = async (judged: Judged): Promise<Verdict> => {
    await policy.grants.open(judged.user)
    return policy.judge(judged)
  }
  await storeShipped(store, log)
  const components = openComponents({
    store,
    home,
    config,
    scan,
    log,
    invokeTool: createInvoke({ tools: (user) => joined.tools(user), judge }),
  })
  const builtIn = openBuiltInSources({ config, scan, documents, skills, missions: parts.missions })
  const builtInSpecs = new Set(builtIn.flatMap(({ specs }) => specs))
  const off = () => offIn(live.stored())
  const switchOn = async (name: string): Promise<void> => {
    if (!offIn(await store.settings.all()).includes(name)) return
    await switchTool(store.settings, name, true)
    await reload()
  }
  const mcp = openMcp({ home, store, seal, config, scan, log, switches: { off, switchOn } })
  const sources = [...builtIn, components, mcp.source]
  const joined = joinSources(sources, log, off)
  await joined.reload()
  // Grants for tools of MCP servers end with what was pinned, those for components with their removal. On PostgreSQL the
  // store notifies every process of it.
  const endGrants = (): void => {
    if (store.backend === 'sqlite') policy.grants.forgetAll()
  }
  live.onReload(async () => {
    endGrants()
    await joined.reload()
  })
  return {
    tools: (user) => joined.tools(user),
    isBuiltIn: (spec) => builtInSpecs.has(spec),
    access: loadOnce(() => openAccess({ store, config: live.config(), scan, log, seal })),
    admin: createToolAdmin({
      settings: store.settings,
      sources: joined,
      policy: () => live.safety().policy,
      reload,
    }),
    async mcp() {
      const admin = await mcp.admin()
      return {
        ...admin,
        review: (name, what) => admin.review(name, what).finally(endGrants),
        remove: (name) => admin.remove(name).finally(endGrants),
      }
    },
    close: () => joined.close(),
  }
}
