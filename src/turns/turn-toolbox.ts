// The tools of one turn, under the policy.
import type { UserId } from '#core/ids.ts'
import type { Item } from '#core/item.ts'
import type { Judge } from '#core/policy.ts'
import type { LoadedSkill } from '#core/skill.ts'
import type { Tools } from '#core/tool.ts'
import type { Turn } from '#core/turn.ts'
import { firstSeqOf, type History } from '#agent/history-prompt.ts'
import type { Meter } from '#agent/tokens.ts'
import { createToolbox, only, type Toolbox } from '#agent/toolbox.ts'
import { inPace } from '#lib/pace.ts'
import { taintOf } from '#safety/taint.ts'

type ToolboxParts = {
  /** The current tools for a user. */
  readonly tools: (user: UserId) => Tools
  readonly judge: Judge
  readonly meter: Pick<Meter, 'tokensInSpec'>
}

/** The current tools. The policy judges their calls by the user and by what the model has read so far. */
export function turnToolbox(
  parts: ToolboxParts,
  { turn, history, window }: { readonly turn: Turn; readonly history: History; readonly window: number },
): Toolbox {
  const { userId: user, threadId, firstSeq, options } = turn
  const skills = (): LoadedSkill[] =>
    loadedSkills(history.items.slice(Math.max((firstSeq ?? 1) - firstSeqOf(history), 0)))
  const toolbox: Toolbox = createToolbox({
    tools: only(parts.tools(user), options.serviceTools),
    callerTools: options.tools ?? [],
    window,
    items: () => history.items,
    tokensInSpec: parts.meter.tokensInSpec,
    judge(call, tool) {
      // Read at each call: a summary replaces the prompt.
      const { items, prompt } = history
      return parts.judge({
        user,
        threadId,
        call,
        tool,
        taint: taintOf(prompt),
        items,
        skills: skills(),
        specs: toolbox.specs(),
      })
    },
    async prepare(calls) {
      const { items, prompt } = history
      const work = parts.judge.prepare?.({ user, calls, taint: taintOf(prompt), items, specs: toolbox.specs() })
      if (work) await inPace(work)
    },
    skills,
  })
  return toolbox
}

/** The skills that a turn has loaded, by its items so far. */
function loadedSkills(items: readonly Item[]): LoadedSkill[] {
  return items.flatMap((item) => (item.type === 'result' && item.skill ? [item.skill] : []))
}
