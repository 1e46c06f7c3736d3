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
}

/** Something the agent can do. A thrown error becomes a result the model can read. */
export interface Tool {
  readonly spec: ToolSpec
  readonly effects: 'read' | 'write' | 'danger'
  /** May run again after a crash in mid-run. */
  readonly repeatable: boolean
  /** True when its output comes from outside the service: it is fenced as data. */
  readonly untrusted: boolean
  /** `args` is the JSON text of an object, as the model wrote it. */
  run(args: string, context: ToolContext): Promise<string>
}

/** Where tools come from: the built-in ones, installed components, servers that offer some. */
export interface ToolSource {
  /** What it offers now. A tool that has not changed is the same object after a reload. */
  tools(): readonly Tool[]
  /** Looks again at what there is. A tool that cannot be offered is left out, and the log says why. */
  reload(): Promise<void>
  close(): Promise<void>
}
