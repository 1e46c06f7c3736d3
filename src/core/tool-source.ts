// Where tools come from: the built-in ones, installed components, servers that offer some.
import type { ToolTrial, ToolView } from './admin.ts'
import type { UserId } from './ids.ts'
import type { PolicyInForce } from './policy.ts'
import type { PolicyRow, Tool } from './tool.ts'

/** A tool as its source shows it; whether it is enabled, and what the policy makes of it, is not the source's to say. */
export type SourceView = Omit<ToolView, 'enabled' | keyof PolicyInForce> & {
  /** Every row of the policy that its calls can be under, the usual one first. */
  readonly rows: readonly PolicyRow[]
}

/** One call to try a tool; both texts are JSON as somebody wrote it. */
export type TestCall = { readonly params: string; readonly context?: string }

/** A source knows all about its tools: nobody else asks what kind a tool is. */
export interface ToolSource {
  /** What a user's agent has of it now. The same array until that changes, and a tool that has not changed is the same object. */
  tools(user: UserId): readonly Tool[]
  /** All that it has, as people see it: also what no agent is offered, with the reason. */
  view(): Promise<readonly SourceView[]>
  /** Makes one call as the operator; undefined when it has nothing of this name. Throws tool_refused for what may not be tried. */
  test(name: string, call: TestCall): Promise<ToolTrial | undefined>
  /** Removes what has this name for good; false when it has nothing of it. Throws tool_refused for what cannot be removed. */
  remove(name: string): Promise<boolean>
  /** Looks again at what there is. A tool that cannot be offered is left out, and the log says why. */
  reload(): Promise<void>
  close(): Promise<void>
}
