// Sources of tools: built-in tools, installed components and MCP servers.
import type { ToolTrial, ToolView } from './admin.ts'
import type { UserId } from './ids.ts'
import type { PolicyInForce } from './policy.ts'
import type { PolicyRow, Tool } from './tool.ts'

/** A tool as its source describes it. Sources know neither which tools are enabled nor the policy. */
export type SourceView = Omit<ToolView, 'enabled' | keyof PolicyInForce> & {
  /** The policy rows that can apply to its calls, the usual one first. */
  readonly rows: readonly PolicyRow[]
}

/** A test call of a tool; both texts are JSON from the user. */
export type TestCall = { readonly params: string; readonly context?: string }

/** A source knows everything about its tools: other code never checks the kind of a tool. */
export interface ToolSource {
  /** The tools of a user's agent. The same array until they change; an unchanged tool is the same object. */
  tools(user: UserId): readonly Tool[]
  /** All its tools as people see them, also those that no agent gets, with the reason. */
  view(): Promise<readonly SourceView[]>
  /** Makes one call as the operator; undefined when it has no such tool. Throws tool_refused for a forbidden call. */
  test(name: string, call: TestCall): Promise<ToolTrial | undefined>
  /** Removes a tool permanently; false when it has no such tool. Throws tool_refused for one that cannot be removed. */
  remove(name: string): Promise<boolean>
  /** Reloads its tools. A tool that cannot be used is left out, and the log says why. */
  reload(): Promise<void>
  close(): Promise<void>
}
