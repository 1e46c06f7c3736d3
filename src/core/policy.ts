// What a judgement of a call is made of, and what comes of it. The rules themselves stand in safety.
import type { UserId } from './ids.ts'
import type { Call, Item } from './item.ts'
import type { PolicyRow, Tool, ToolSpec } from './tool.ts'

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
  /** `taint` tells that it can only be allowed once; `why` is the reason for the person who decides. */
  | { readonly do: 'ask'; readonly reason: string; readonly why: string; readonly taint?: string }
  /** `leak` is the rule by which it would have carried a secret away. */
  | { readonly do: 'deny'; readonly reason: string; readonly leak?: string }

/** `known`: allowed where the address was given by the user or a result, its host named by the user; else asked for. */
export type Rule = 'allow' | 'ask' | 'deny' | 'known'

/** The policy in force for a tool: each row that its calls can be under, in the order of the table, and what its usual calls meet. */
export type PolicyInForce = {
  readonly policy: readonly {
    readonly row: PolicyRow
    readonly calls: string
    readonly clean: Rule
    readonly tainted: Rule
  }[]
  /** While the model has read nothing from outside, and afterwards. What depends on the address counts as asked for. */
  readonly verdict: { readonly clean: Verdict['do']; readonly tainted: Verdict['do'] }
}

export type Judge = (judged: Judged) => Verdict
