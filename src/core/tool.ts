// The interface of a tool, as the agent loop uses it.
import type { InputAnswer, InputRequest } from './form.ts'
import type { UserId } from './ids.ts'
import { type JsonObject, objectIn } from './json.ts'
import type { CallQuestion, Reach } from './question.ts'
import type { LoadedSkill } from './skill.ts'

/** A caller's own name for its function. */
export type CallerName = { readonly name: string; readonly namespace?: string }

/** A tool as the model sees it. */
export type ToolSpec = {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  readonly strict?: boolean
  /** The caller's name for the function, where the model is offered another. */
  readonly own?: CallerName
}

export type ToolContext = {
  readonly user: UserId
  readonly threadId: string
  readonly turnId: string
  readonly callId: string
  readonly signal: AbortSignal
  /** The tool that runs this one; undefined if the model called it. */
  readonly by?: string
  /** The model has read text from outside, so what it writes may come from there. */
  readonly tainted?: boolean
  /** The skills that the turn has loaded: they narrow the tools that this one runs, too. */
  readonly skills?: readonly LoadedSkill[]
  /** The only tools of the service that the turn may use. What this tool makes or runs may use no others. All if absent. */
  readonly serviceTools?: readonly string[]
  /** Marks this output as text from outside, and names its origin. For tools whose output is not always untrusted. */
  readonly markUntrusted?: (from?: string) => void
  /** Says that the output is the text of a skill, which compaction keeps. */
  readonly loadSkill?: (skill: LoadedSkill) => void
  /** The answer to what this call asked for when it threw `input_required` in an earlier run. */
  readonly input?: InputAnswer
  /**
   * Asks a person while the call stays open: for a server that holds its request. A call that can be run again throws
   * `input_required` instead, which survives a restart. Rejects when the turn ends.
   */
  readonly askInput?: (request: InputRequest) => Promise<InputAnswer>
  /** Reports, for the receipt, the call's requests, the names of the secrets in them, and the leaks that were blocked. */
  readonly reportUse?: (use: CallUse) => void
  /** Adds tools that were found to the prompt of the thread. */
  readonly addTools?: (names: readonly string[]) => void
  /** Tells watchers how far a call is. It is never stored. */
  readonly reportProgress?: (progress: CallProgress) => void
  /** Images of the output, as data URLs. Absent if the model takes none. */
  readonly showImages?: (urls: readonly string[]) => void
}

/** How far a call is. `message` is the tool's own. */
export type CallProgress = { readonly progress: number; readonly total?: number; readonly message?: string }

/** A request that was sent. The host includes its port unless that is the scheme's default. */
export type SentRequest = { readonly method: string; readonly host: string }

export type CallUse = {
  readonly sent?: readonly SentRequest[]
  readonly secrets?: readonly string[]
  readonly leaks?: readonly string[]
}

/** The effect of a call: it reads; changes memory, which can be undone (`keep`); changes something else; may harm. */
export type Effects = 'read' | 'keep' | 'write' | 'danger'

/** A row of the policy table: a kind of call that the operator sets rules for. */
export type PolicyRow =
  | 'read'
  | 'memory'
  | 'identity'
  | 'workspace'
  | 'shell'
  | 'fetch'
  | 'fetch-made'
  | 'request'
  | 'write'
  | 'danger'

/** The policy row of every call; or all rows that calls can have, the usual one first, and the row of a given call. */
export type ToolPolicy =
  | PolicyRow
  | { readonly rows: readonly [PolicyRow, ...PolicyRow[]]; readonly rowOf: (args: string) => PolicyRow }

/** A description of a tool for people. Lists show tools with the same `brief` as one. */
export type ToolAbout = {
  readonly brief: string
  readonly may: readonly string[]
  readonly cannot: readonly string[]
}

/** Something the agent can do. A thrown error becomes a result the model can read. */
export interface Tool {
  readonly spec: ToolSpec
  /** The effects of every call, or of a call with the given arguments. */
  readonly effects: Effects | ((args: string) => Effects)
  /** Without it, the effects of a call decide its row. */
  readonly policy?: ToolPolicy
  readonly about?: ToolAbout
  /** Every call needs approval: neither a grant nor the policy's settings allow one. */
  readonly asksEachTime?: true
  /** The arguments stay on this machine, so they may hold what looks like a secret. */
  readonly argsStayLocal?: true
  /** True when a call may run again after a crash in mid-run. */
  readonly repeatable: boolean
  /** True when the output comes from outside the service. Such output is fenced as data. */
  readonly untrusted: boolean
  /** The name of the installed component that provides this tool. */
  readonly of?: string
  /** The names of the secrets that go into the tool's requests. */
  readonly secrets?: readonly string[]
  /** Its spec leaves the prompt when there are too many of its kind; it can then be searched for. */
  readonly searchable?: true
  /** It finds searchable tools; its spec is in the prompt only when they are not. */
  readonly findsTools?: true
  /** Only the operator's agent gets this tool. */
  readonly operatorOnly?: true
  /** The target of a call. Without it, the target is read from the parameters `url`, `path` or `command`. */
  reach?(args: string): Reach | undefined
  /**
   * The question for the person who approves a call, and a preview of the call. Throws for a call that cannot be done:
   * it is then refused without a question.
   */
  ask?(args: string, context: Pick<ToolContext, 'user' | 'signal' | 'serviceTools'>): Promise<CallQuestion>
  /** `args` is the JSON text of an object, as the model wrote it. */
  run(args: string, context: ToolContext): Promise<string>
}

/** The effects of a call. */
export function effectsOf({ effects }: Pick<Tool, 'effects'>, args: string): Effects {
  return typeof effects === 'function' ? effects(args) : effects
}

/** The policy row of a call. */
export function rowOf({ policy, effects }: Pick<Tool, 'policy' | 'effects'>, args: string): PolicyRow {
  if (policy !== undefined) return typeof policy === 'string' ? policy : policy.rowOf(args)
  const effect = effectsOf({ effects }, args)
  return effect === 'keep' ? 'memory' : effect
}

/** Every policy row that calls of the tool can have, the usual one first. */
export function rowsOf(tool: Pick<Tool, 'policy' | 'effects'>): readonly PolicyRow[] {
  return typeof tool.policy === 'object' ? tool.policy.rows : [rowOf(tool, '{}')]
}

/** The target of a call; undefined if unknown. */
export function reachOf(tool: Pick<Tool, 'reach'>, args: string): Reach | undefined {
  return tool.reach ? tool.reach(args) : reachInParams(args)
}

/** The target by the parameters `url`, `path` and `command`. A value that is not a string gives an empty target. */
export function reachInParams(args: string): Reach | undefined {
  const { url, path, command } = objectIn(args) ?? {}
  if (url !== undefined) return { type: 'url', url: textOf(url) }
  if (path !== undefined) return { type: 'path', path: textOf(path) }
  return command === undefined ? undefined : { type: 'command', command: textOf(command) }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Tools by name, and their specs for the model. `specs` is the same array until the tools change. */
export type Tools = {
  readonly byName: ReadonlyMap<string, Tool>
  readonly specs: readonly ToolSpec[]
  /** Those of the specs that can be searched for, and the tool that finds them. */
  readonly searchable?: { readonly specs: readonly ToolSpec[]; readonly finder: ToolSpec }
}
