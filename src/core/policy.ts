// What a judgement of a call is made of, and what comes of it. The rules themselves stand in safety.
import type { UserId } from './ids.ts'
import type { Call, Item } from './item.ts'
import type { Tool, ToolSpec } from './tool.ts'

/** Everything a policy may look at. */
export type Judged = {
  readonly user: UserId
  readonly threadId: string
  readonly call: Call
  readonly tool: Tool
  /** Where the first untrusted text comes from that the model has read; undefined while it has read none. */
  readonly taint: string | undefined
  /** What stands in the thread so far: addresses are sought in it. */
  readonly items: readonly Item[]
  /** What the model is told of its tools. */
  readonly specs: readonly ToolSpec[]
}

/** Whether a call may run, must be asked for, or is refused. The reason is told to whoever decides, or to the model. */
export type Verdict =
  /** `taint` tells that what the call writes may be somebody else's words. */
  | { readonly do: 'allow'; readonly taint?: string }
  /** `taint` tells that it can only be allowed once. */
  | { readonly do: 'ask'; readonly reason: string; readonly taint?: string }
  /** `leak` is the rule by which it would have carried a secret away. */
  | { readonly do: 'deny'; readonly reason: string; readonly leak?: string }

export type Judge = (judged: Judged) => Verdict
