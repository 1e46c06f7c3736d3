// A tool as the loop sees it.
import type { UserId } from './ids.ts'
import type { JsonObject } from './json.ts'

/** What the model is told of a tool. */
export type ToolSpec = {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  readonly strict?: boolean
}

export type ToolContext = {
  readonly user: UserId
  readonly threadId: string
  readonly turnId: string
  readonly callId: string
  readonly signal: AbortSignal
  /** The tool that runs this one, where the model does not. */
  readonly by?: string
  /** The model has read words from outside: what it writes may be theirs. */
  readonly tainted?: boolean
  /** Says that this output holds words from outside, where the tool's do not always, and where they come from. */
  readonly markUntrusted?: (from?: string) => void
  /** Tells where the call sent requests, the names of the secrets that went with them, what was kept back: for its receipt. */
  readonly used?: (what: Used) => void
}

/** A request that went out; the host has its port where that is not the usual one. */
export type Sent = { readonly method: string; readonly host: string }

export type Used = {
  readonly sent?: readonly Sent[]
  readonly secrets?: readonly string[]
  readonly leaks?: readonly string[]
}

/** What a call does: look; change what the agent keeps for its user, which can be undone; change anything else; harm. */
export type Effects = 'read' | 'keep' | 'write' | 'danger'

/** Something the agent can do. A thrown error becomes a result the model can read. */
export interface Tool {
  readonly spec: ToolSpec
  /** Of every call, or of one with these arguments. */
  readonly effects: Effects | ((args: string) => Effects)
  /** May run again after a crash in mid-run. */
  readonly repeatable: boolean
  /** True when its output comes from outside the service: it is fenced as data. */
  readonly untrusted: boolean
  /** The component whose action it is, where that is not its name. */
  readonly of?: string
  /** The names of the secrets that go with its requests, where some do. */
  readonly secrets?: readonly string[]
  /** Only the operator's agent has it. */
  readonly operatorOnly?: true
  /**
   * What a call would do, for whoever is asked to allow it: a diff, a command, a request. Throws for a call that cannot
   * be done: it is then refused without asking anybody.
   */
  describe?(args: string, context: Pick<ToolContext, 'user' | 'signal'>): Promise<string>
  /** `args` is the JSON text of an object, as the model wrote it. */
  run(args: string, context: ToolContext): Promise<string>
}

/** What a call of a tool does. */
export function effectsOf({ effects }: Pick<Tool, 'effects'>, args: string): Effects {
  return typeof effects === 'function' ? effects(args) : effects
}

/** Tools by their names, and what the model is told of them: the same array until they change. */
export type Tools = { readonly byName: ReadonlyMap<string, Tool>; readonly specs: readonly ToolSpec[] }
