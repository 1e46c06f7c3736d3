// The interface of a language model: one streaming call.
import type { Item } from './item.ts'
import type { ToolSpec } from './tool.ts'
import type { Sampling, TurnOptions, Usage, Via } from './turn.ts'

/** Maximum calls in one response. No task needs more, and each call may occupy a process. */
export const maxCalls = 128

export type ModelRequest = {
  readonly system: string
  /**
   * The thread so far: only `message`, `reasoning`, `call` and `result` items. Each response is in its original order,
   * followed by the results of its calls in call order. An array only ever grows, so a model may cache what it rendered
   * from a prefix, keyed by the array itself.
   */
  readonly items: readonly Item[]
  readonly tools: readonly ToolSpec[]
  readonly temperature?: number
  readonly format?: TurnOptions['format']
  readonly json?: true
  readonly sampling?: Sampling
}

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  /** A piece of a reasoning block. A `signature` ends the block; the provider wants it back unchanged. */
  | { readonly type: 'reasoning'; readonly text: string; readonly signature?: string }
  /** A complete call; `args` is the JSON text the model wrote. */
  | { readonly type: 'call'; readonly name: string; readonly args: string; readonly signature?: string }
  /** The last event. `stop: 'length'` when the output limit cut it; `model` and `via` when another model answered. */
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
  /** Absent for a model that runs in this process. */
  readonly via?: Via
  /** Size of the context window in tokens. */
  readonly window: number
  /** The model cannot summarise: its threads are shortened by a fixed rule. */
  readonly byRule?: true
  /** The cost of a usage in USD; null when the price is unknown. Absent when the model is free. */
  readonly priceOf?: (usage: Omit<Usage, 'costUsd'>) => number | null
  /**
   * Yields the events of one network read as a batch, and ends after `done`. Throws AppError `model_…`.
   * Retries before the first event, never after it. Abort closes the connection.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly ModelEvent[]>
  /** For a list of models: those that are skipped for a while after repeated failures. */
  skippedModels?(): readonly string[]
}
