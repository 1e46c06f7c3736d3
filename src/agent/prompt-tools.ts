// Which tools are in the prompt: tools that can be searched for leave it when their specs take too much of the window.
import type { Item } from '#core/item.ts'
import type { Tools, ToolSpec } from '#core/tool.ts'
import type { Meter } from './tokens.ts'

/** The share of the window that specs of searchable tools may take. */
const maxShare = 0.1

export type PromptTools = {
  readonly tools: Tools
  /** Functions that the caller runs itself. */
  readonly callerTools: readonly ToolSpec[]
  /** The model's window in tokens; 0 if it is unknown. */
  readonly window: number
  /** The items of the thread, whose results name the tools that were found. */
  readonly items: () => readonly Item[]
  readonly tokensInSpec: Meter['tokensInSpec']
}

/** Returns the specs for the next model call. The same array until they change. */
export function createPromptTools(parts: PromptTools): () => readonly ToolSpec[] {
  const { tools, callerTools, window, items, tokensInSpec } = parts
  const { specs, searchable } = tools
  if (!searchable || !(window > 0) || fits(searchable.specs, window * maxShare, tokensInSpec)) {
    const all = callerTools.length > 0 ? [...specs, ...callerTools] : specs
    return () => all
  }
  const hidden = new Set(searchable.specs)
  const always = [...specs.filter((spec) => !hidden.has(spec)), searchable.finder, ...callerTools]
  let last: { readonly found: string; readonly specs: readonly ToolSpec[] } = { found: '', specs: always }
  return () => {
    const names = namesIn(items())
    const found = names.join()
    if (found !== last.found) {
      const added = names.flatMap((name) => searchable.specs.find((spec) => spec.name === name) ?? [])
      last = { found, specs: [...always, ...added] }
    }
    return last.specs
  }
}

/** Counts no further than it must: servers may have hundreds of megabytes of specs. */
function fits(specs: readonly ToolSpec[], maxTokens: number, tokensInSpec: Meter['tokensInSpec']): boolean {
  let tokens = 0
  return specs.every((spec) => (tokens += tokensInSpec(spec)) <= maxTokens)
}

/** The tools that were found in the thread, each once, in the order in which they were found. */
function namesIn(items: readonly Item[]): string[] {
  return [...new Set(items.flatMap((item) => (item.type === 'result' ? (item.tools ?? []) : [])))]
}
