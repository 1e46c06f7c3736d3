// The tools of one turn: the service's own, and the functions its caller brought.
import { objectIn } from '#core/json.ts'
import type { Call } from '#core/item.ts'
import { effectsOf, type Tool, type ToolSpec } from '#core/tool.ts'
import { judge } from '#safety/policy.ts'

/** What the loop has to do for a call, as far as the tool decides it. */
export type CallKind = 'run' | 'ask' | 'deny' | 'caller' | 'unknown' | 'invalid'

export interface Toolbox {
  readonly specs: readonly ToolSpec[]
  kindOf(call: Call): CallKind
  /** True when a call that was cut off may run again. */
  repeatable(call: Call): boolean
  find(name: string): Tool | undefined
}

/** Joins the service's tools with the caller's. The specs array is the same for every turn without caller tools. */
export function createToolbox(
  tools: ReadonlyMap<string, Tool>,
  own: readonly ToolSpec[],
  callers: readonly ToolSpec[] = [],
): Toolbox {
  return {
    specs: callers.length > 0 ? [...own, ...callers] : own,
    kindOf(call) {
      const tool = tools.get(call.name)
      if (!tool && !callers.some(({ name }) => name === call.name)) return 'unknown'
      if (!objectIn(call.args)) return 'invalid'
      if (!tool) return 'caller'
      const verdict = judge(effectsOf(tool, call.args))
      return verdict === 'allow' ? 'run' : verdict
    },
    repeatable: (call) => tools.get(call.name)?.repeatable ?? false,
    find: (name) => tools.get(name),
  }
}
