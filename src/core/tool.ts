// A tool as the loop sees it.
import type { UserId } from './ids.ts'
import { type JsonObject, objectIn } from './json.ts'
import type { Asked, Reach } from './question.ts'

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

/** The row of every call, or those that its calls are under, the usual one first, and which one a call is under. */
export type ToolPolicy =
  | PolicyRow
  | { readonly rows: readonly [PolicyRow, ...PolicyRow[]]; readonly rowOf: (args: string) => PolicyRow }

/** A tool in words for people. Tools with the same `brief` belong together: lists show them as one. */
export type ToolAbout = {
  readonly brief: string
  readonly may: readonly string[]
  readonly cannot: readonly string[]
}

/** Something the agent can do. A thrown error becomes a result the model can read. */
export interface Tool {
  readonly spec: ToolSpec
  /** Of every call, or of one with these arguments. */
  readonly effects: Effects | ((args: string) => Effects)
  /** Without one the effects of a call are its row. */
  readonly policy?: ToolPolicy
  readonly about?: ToolAbout
  /** Its arguments stay on this machine, where a person reads them: they may hold what looks like a secret. */
  readonly staysHere?: true
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
  /** What a call is aimed at. Without it the usual names of parameters tell: `url`, `path`, `command`. */
  reach?(args: string): Reach | undefined
  /**
   * The question for whoever is asked to allow a call, and what the call would do. Throws for a call that cannot be
   * done: it is then refused without asking anybody.
   */
  ask?(args: string, context: Pick<ToolContext, 'user' | 'signal'>): Promise<Asked>
  /** `args` is the JSON text of an object, as the model wrote it. */
  run(args: string, context: ToolContext): Promise<string>
}

/** What a call of a tool does. */
export function effectsOf({ effects }: Pick<Tool, 'effects'>, args: string): Effects {
  return typeof effects === 'function' ? effects(args) : effects
}

/** The row of the policy that a call is under. */
export function rowOf({ policy, effects }: Pick<Tool, 'policy' | 'effects'>, args: string): PolicyRow {
  if (policy !== undefined) return typeof policy === 'string' ? policy : policy.rowOf(args)
  const does = effectsOf({ effects }, args)
  return does === 'keep' ? 'memory' : does
}

/** Every row that its calls can be under, the usual one first. */
export function rowsOf(tool: Pick<Tool, 'policy' | 'effects'>): readonly PolicyRow[] {
  return typeof tool.policy === 'object' ? tool.policy.rows : [rowOf(tool, '{}')]
}

/** What a call is aimed at; undefined where that cannot be told. */
export function reachOf(tool: Pick<Tool, 'reach'>, args: string): Reach | undefined {
  return tool.reach ? tool.reach(args) : reachInParams(args)
}

/** By the usual names of parameters. One that is no text reaches nothing that could be named. */
export function reachInParams(args: string): Reach | undefined {
  const { url, path, command } = objectIn(args) ?? {}
  if (url !== undefined) return { type: 'url', url: textOf(url) }
  if (path !== undefined) return { type: 'path', path: textOf(path) }
  return command === undefined ? undefined : { type: 'command', command: textOf(command) }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Tools by their names, and what the model is told of them: the same array until they change. */
export type Tools = { readonly byName: ReadonlyMap<string, Tool>; readonly specs: readonly ToolSpec[] }
