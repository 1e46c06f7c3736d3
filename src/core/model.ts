// A language model as the loop sees it: one streaming verb.
import type { Item } from './item.ts'
import type { ToolSpec } from './tool.ts'
import type { TurnOptions, Usage, Via } from './turn.ts'

/** Calls in one response beyond this are a fault: no task needs them, and each may hold a process. */
export const maxCalls = 128

export type ModelRequest = {
  readonly system: string
  /**
   * The thread so far, ready for the model: only `message`, `reasoning`, `call` and `result` items. What the model said
   * stands in the order in which it said it, the results of its calls behind it, in their order. An array only ever
   * grows, so a model may remember what it made of a prefix, keyed by the array itself.
   */
  readonly items: readonly Item[]
  readonly tools: readonly ToolSpec[]
  readonly temperature?: number
  readonly format?: TurnOptions['format']
}

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  /** A piece of a block of thoughts. A `seal` is the end of its block. */
  | { readonly type: 'reasoning'; readonly text: string; readonly seal?: string }
  /** A whole call; `args` is the JSON text the model wrote. */
  | { readonly type: 'call'; readonly name: string; readonly args: string; readonly seal?: string }
  /** Last of all. `length` when the model would have said more; `model` and its `via` when another one answered. */
  | {
      readonly type: 'done'
      readonly usage: Usage
      readonly stop?: 'length'
      readonly model?: string
      readonly via?: Via
    }

export interface Model {
  readonly provider: string
  readonly name: string
  /** Absent of a model within this process. */
  readonly via?: Via
  /** Tokens of context the model can take. */
  readonly window: number
  /** It cannot summarise a conversation: its threads are shortened by rule. */
  readonly byRule?: true
  /** What some usage costs in USD, null where nobody knows; absent, nothing does. */
  readonly priceOf?: (usage: Omit<Usage, 'costUsd'>) => number | null
  /**
   * Yields batches (what one read of the network brought), ends after `done`, throws AppError `model_…`.
   * Retries by itself before the first event, never after it. Abort closes the connection.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly ModelEvent[]>
  /** Of a list of models: which are not asked for a while, since they failed again and again. */
  passedOver?(): readonly string[]
}
