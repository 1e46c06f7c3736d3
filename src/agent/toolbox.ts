// The tools of one turn: the service's own, and the functions that the caller defined.
import { openCalls } from '#core/calls.ts'
import type { Call, Item } from '#core/item.ts'
import { objectIn } from '#core/json.ts'
import type { Verdict } from '#core/policy.ts'
import type { LoadedSkill } from '#core/skill.ts'
import type { Tool, Tools, ToolSpec } from '#core/tool.ts'
import { pace } from '#lib/pace.ts'
import { createPromptTools, type PromptTools } from './prompt-tools.ts'

/** How the loop treats a call, as decided by the tool and the policy. */
export type CallKind =
  | { readonly do: 'run'; readonly taint?: string }
  | { readonly do: 'caller' | 'unknown' | 'invalid' }
  | Exclude<Verdict, { do: 'allow' }>

export interface Toolbox {
  specs(): readonly ToolSpec[]
  kindOf(call: Call): CallKind
  /** To await before the calls at the end of these items are looked at: it judges them in pace. Undefined without any. */
  prepare(items: readonly Item[]): Promise<void> | undefined
  /** True when an interrupted call may run again. */
  repeatable(call: Call): boolean
  find(name: string): Tool | undefined
  /** The skills that the turn has loaded so far. */
  skills(): readonly LoadedSkill[]
}

type PreparedCall = { readonly call: Call; readonly tool: Tool }

export type ToolboxParts = PromptTools & {
  /** The policy of this turn. */
  readonly judge: (call: Call, tool: Tool) => Verdict
  /** What takes long about these calls, ahead of the judgement. */
  readonly prepare: (calls: readonly PreparedCall[]) => Promise<void>
  readonly skills: () => readonly LoadedSkill[]
}

/** Joins the service's tools with the caller's. The specs array is the same for every turn without caller tools. */
export function createToolbox(parts: ToolboxParts): Toolbox {
  const { callerTools, judge, skills } = parts
  const { byName } = parts.tools
  const specs = createPromptTools(parts)
  /** How the calls are treated that were prepared last. */
  const kinds = new Map<Call, CallKind>()

  function findKind(call: Call): CallKind {
    const tool = byName.get(call.name)
    if (!tool && !callerTools.some(({ name }) => name === call.name)) return { do: 'unknown' }
    if (!objectIn(call.args)) return { do: 'invalid' }
    if (!tool) return { do: 'caller' }
    const verdict = judge(call, tool)
    return verdict.do === 'allow' ? { ...verdict, do: 'run' } : verdict
  }

  async function judgeInPace(calls: readonly Call[]): Promise<void> {
    const own = calls.flatMap((call) => {
      const tool = byName.get(call.name)
      return tool ? [{ call, tool }] : []
    })
    if (own.length > 0) await parts.prepare(own)
    for (const call of calls) {
      await pace()
      kinds.set(call, findKind(call))
    }
  }

  return {
    specs,
    kindOf: (call) => kinds.get(call) ?? findKind(call),
    prepare(latest) {
      kinds.clear()
      const calls = openCalls(latest).flatMap(({ call, gate, answer }) => (gate && !answer ? [] : [call]))
      return calls.length > 0 ? judgeInPace(calls) : undefined
    },
    repeatable: (call) => byName.get(call.name)?.repeatable ?? false,
    find: (name) => byName.get(name),
    skills,
  }
}

/** The tools of these names; all without a list. */
export function only(tools: Tools, names: readonly string[] | undefined): Tools {
  if (!names) return tools
  const byName = new Map([...tools.byName].filter(([name]) => names.includes(name)))
  const kept = (specs: readonly ToolSpec[]): readonly ToolSpec[] => specs.filter(({ name }) => byName.has(name))
  const { searchable } = tools
  return {
    byName,
    specs: kept(tools.specs),
    ...(searchable && { searchable: { ...searchable, specs: kept(searchable.specs) } }),
  }
}
