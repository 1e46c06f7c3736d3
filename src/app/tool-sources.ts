// The tools of the service: its sources joined, read again when they change.
import { operator, type UserId } from '#core/ids.ts'
import { nameKey } from '#core/tool-names.ts'
import type { ToolSource } from '#core/tool-source.ts'
import type { Tool, Tools } from '#core/tool.ts'
import type { Log } from '#lib/log.ts'

/** All sources as one; where two have something of one name, the first is asked. */
export type JoinedSources = Omit<ToolSource, 'tools'> & {
  /** What the agent of a user has. */
  tools(user: UserId): Tools
}

/**
 * `off` names tools, or components with all their actions, that are not offered to anybody now. No agent has a tool before
 * the first reload.
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
    // At once, so that the log tells what is left out.
    tools(operator)
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
 * Joins the lists of all sources. Most users have the same ones: a join is kept as long as its lists are, so that the
 * model is told the same of its tools until they change.
 */
function createJoins(off: readonly string[], log: Log): (lists: readonly (readonly Tool[])[]) => Tools {
  const names = new Set(off)
  const told = new Set<string>()
  const root: Node = { next: new WeakMap() }
  const leftOut = (name: string): void => {
    if (!told.has(name)) log.error({ tool: name }, 'a tool is left out: its name is taken')
    told.add(name)
  }
  return (lists) => {
    let node = root
    for (const list of lists) {
      const next = node.next.get(list) ?? { next: new WeakMap() }
      node.next.set(list, next)
      node = next
    }
    const offered = (): Tool[] => lists.flat().filter(({ spec, of }) => !names.has(of ?? spec.name))
    return (node.tools ??= join(offered(), leftOut))
  }
}

/** Who comes first keeps a name: two tools of one name would make a provider refuse every turn. */
function join(all: readonly Tool[], leftOut: (name: string) => void): Tools {
  const kept = new Map<string, Tool>()
  for (const tool of all) {
    const key = nameKey(tool.spec.name)
    if (kept.has(key)) leftOut(tool.spec.name)
    else kept.set(key, tool)
  }
  const list = [...kept.values()]
  return { byName: new Map(list.map((tool) => [tool.spec.name, tool])), specs: list.map(({ spec }) => spec) }
}
