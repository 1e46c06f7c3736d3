// The tools of the service: its sources joined, read again when they change.
import { operator, type UserId } from '#core/ids.ts'
import { nameKey } from '#core/tool-names.ts'
import type { Tool, ToolSource, Tools } from '#core/tool.ts'
import type { Log } from '#lib/log.ts'

export interface JoinedSources {
  /** What the agent of a user has: some tools are the operator's alone. */
  tools(user: UserId): Tools
  /** Has every source look again. */
  reload(): Promise<void>
  close(): Promise<void>
}

/** `off` names tools, or components with all their actions, that are not offered to anybody now. */
export async function joinSources(
  sources: readonly ToolSource[],
  log: Log,
  off: () => readonly string[] = () => [],
): Promise<JoinedSources> {
  let all = join([], log)
  let common = all
  const reload = async (): Promise<void> => {
    await Promise.all(sources.map((source) => source.reload()))
    const names = new Set(off())
    const tools = sources.flatMap((source) => source.tools()).filter(({ spec, of }) => !names.has(of ?? spec.name))
    all = join(tools, log)
    common = tools.some(({ operatorOnly }) => operatorOnly) ? withoutOperators(all) : all
  }
  await reload()
  return {
    tools: (user) => (user === operator ? all : common),
    reload,
    async close() {
      await Promise.all(sources.map((source) => source.close()))
    },
  }
}

/** Who comes first keeps a name: two tools of one name would make a provider refuse every turn. */
function join(all: readonly Tool[], log: Log): Tools {
  const kept = new Map<string, Tool>()
  for (const tool of all) {
    const key = nameKey(tool.spec.name)
    if (kept.has(key)) log.error({ tool: tool.spec.name }, 'a tool is left out: its name is taken')
    else kept.set(key, tool)
  }
  return setOf([...kept.values()])
}

function withoutOperators({ byName }: Tools): Tools {
  return setOf([...byName.values()].filter(({ operatorOnly }) => !operatorOnly))
}

function setOf(list: readonly Tool[]): Tools {
  return { byName: new Map(list.map((tool) => [tool.spec.name, tool])), specs: list.map(({ spec }) => spec) }
}
