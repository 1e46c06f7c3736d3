// Joins the tool sources of the service into one, and reads them again when they change.
import type { UserId } from '#core/ids.ts'
import { nameKey } from '#core/tool-names.ts'
import type { ToolSource } from '#core/tool-source.ts'
import type { Tool, Tools } from '#core/tool.ts'
import type { Log } from '#lib/log.ts'

/** All sources as one; for a name in two sources, the first source is used. */
export type JoinedSources = Omit<ToolSource, 'tools'> & {
  /** The tools that a user's agent has. */
  tools(user: UserId): Tools
}

/**
 * `off` returns the names of disabled tools, or of components with all their actions. No agent has a tool before the
 * first reload.
 */
export function joinSources(
  sources: readonly ToolSource[],
  log: Log,
  off: () => readonly string[] = () => [],
): JoinedSources {
  let joins = createJoins([], log)
  const tools = (user: UserId): Tools => joins(sources.map((source) => source.tools(user)))
  const reload = async (): Promise<void> => {
    await Promise.all(sources.map((source) => source.reload()))
    joins = createJoins(off(), log)
  }
  return {
    tools,
    view: async () => (await Promise.all(sources.map((source) => source.view()))).flat(),
    async test(name, call) {
      for (const source of sources) {
        const trial = await source.test(name, call)
        if (trial) return trial
      }
      return undefined
    },
    async remove(name) {
      for (const source of sources) if (await source.remove(name)) return true
      return false
    },
    reload,
    async close() {
      await Promise.all(sources.map((source) => source.close()))
    },
  }
}

type Node = { readonly next: WeakMap<readonly Tool[], Node>; tools?: Tools }

/**
 * Joins the lists of all sources. Most users have the same lists: a join is cached as long as its lists exist, so that
 * the model gets the same tool specs until they change.
 */
function createJoins(off: readonly string[], log: Log): (lists: readonly (readonly Tool[])[]) => Tools {
  const names = new Set(off)
  const logged = new Set<string>()
  const root: Node = { next: new WeakMap() }
  const leftOut = (name: string): void => {
    if (!logged.has(name)) log.error({ tool: name }, 'skipped a tool: its name is taken')
    logged.add(name)
  }
  return (lists) => {
    let node = root
    for (const list of lists) {
      let next = node.next.get(list)
      if (!next) node.next.set(list, (next = { next: new WeakMap() }))
      node = next
    }
    const offered = (): Tool[] => lists.flat().filter(({ spec, of }) => !names.has(of ?? spec.name))
    return (node.tools ??= join(offered(), leftOut))
  }
}

/** The first tool with a name is used: two tools with one name would make a provider refuse every turn. */
function join(all: readonly Tool[], leftOut: (name: string) => void): Tools {
  const kept = new Map<string, Tool>()
  for (const tool of all) {
    const key = nameKey(tool.spec.name)
    if (kept.has(key)) leftOut(tool.spec.name)
    else kept.set(key, tool)
  }
  const list = [...kept.values()]
  const finder = list.find(({ findsTools }) => findsTools)?.spec
  const searchable = list.filter((tool) => tool.searchable).map(({ spec }) => spec)
  return {
    byName: new Map(list.map((tool) => [tool.spec.name, tool])),
    specs: list.filter(({ findsTools }) => !findsTools).map(({ spec }) => spec),
    ...(finder && searchable.length > 0 && { searchable: { specs: searchable, finder } }),
  }
}
