// The tools of the service: its sources joined, read again when they change.
import { nameKey } from '#core/tool-names.ts'
import type { Tool, ToolSource, Tools } from '#core/tool.ts'
import type { Log } from '#lib/log.ts'

export interface Toolshed {
  tools(): Tools
  /** Has every source look again. */
  reload(): Promise<void>
  close(): Promise<void>
}

export async function openToolshed(sources: readonly ToolSource[], log: Log): Promise<Toolshed> {
  let current = join([], log)
  const reload = async (): Promise<void> => {
    await Promise.all(sources.map((source) => source.reload()))
    current = join(
      sources.flatMap((source) => source.tools()),
      log,
    )
  }
  await reload()
  return {
    tools: () => current,
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
  const list = [...kept.values()]
  return { byName: new Map(list.map((tool) => [tool.spec.name, tool])), specs: list.map(({ spec }) => spec) }
}
