// Input and result of a policy decision. The rules are in safety.
import type { UserId } from './ids.ts'
import type { Call, Item } from './item.ts'
import type { LoadedSkill } from './skill.ts'
import type { PolicyRow, Tool, ToolSpec } from './tool.ts'

/** Everything a policy may look at. */
export type Judged = {
  readonly user: UserId
  readonly threadId: string
  readonly call: Call
  readonly tool: Tool
  /** The origin of the first untrusted text that the model has read; undefined while it has read none. */
  readonly taint: string | undefined
  /** The thread so far: addresses are looked up in it. */
  readonly items: readonly Item[]
  /** The skills that this turn has loaded so far. */
  readonly skills?: readonly LoadedSkill[]
  /** The tool definitions that the model has. */
  readonly specs: readonly ToolSpec[]
}

/** The decision about a call: it may run, needs approval, or is refused. The reason is for the person or the model. */
export type Verdict =
  /** With a `taint`, the call may write outside text. */
  | { readonly do: 'allow'; readonly taint?: string }
  /** With a `taint`, the call can only be allowed once. `why` is the reason for the person who decides. */
  | { readonly do: 'ask'; readonly reason: string; readonly why: string; readonly taint?: string }
  /** `leak` is the leak rule that the call violates: it would send a secret out. */
  | { readonly do: 'deny'; readonly reason: string; readonly leak?: string }

/** `known`: allowed when the user or a result gave the address and the user named its host; else it needs approval. */
export type Rule = 'allow' | 'ask' | 'deny' | 'known'

/** The policy for a tool: the rows that apply to its calls, in table order, and the verdict on its usual calls. */
export type PolicyInForce = {
  readonly policy: readonly {
    readonly row: PolicyRow
    readonly calls: string
    readonly clean: Rule
    readonly tainted: Rule
  }[]
  /** Before and after the model has read outside text. A rule that depends on the address counts as `ask`. */
  readonly verdict: { readonly clean: Verdict['do']; readonly tainted: Verdict['do'] }
}

/** Calls that will be judged, and what the judgement of each looks at. */
export type PreparedCalls = Pick<Judged, 'user' | 'taint' | 'items' | 'specs'> & {
  readonly calls: readonly Pick<Judged, 'call' | 'tool'>[]
}

export type Judge = {
  (judged: Judged): Verdict
  /** Work in slices to be done before the calls of a response are judged: what takes long is then known. */
  prepare?: (about: PreparedCalls) => Generator<void, void>
}
