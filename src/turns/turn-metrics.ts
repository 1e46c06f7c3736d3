// Turn metrics, counted from the stored entries of each step, so that the numbers and the thread's log agree.
import type { Entry, Item } from '#core/item.ts'
import type { ModelCall, Turn } from '#core/turn.ts'
import { isAtRest } from '#core/turn-status.ts'
import type { Metrics } from '#lib/metrics.ts'

/** Is called after a step or a rest was stored. Must neither throw nor block. */
export interface Observer {
  /**
   * A step was stored. `before` are the earlier entries of this run, `history` the items of the thread, `lost` a model call
   * that left no entry.
   */
  stepped(entries: readonly Entry[], before: readonly Entry[], history: readonly Item[], lost?: ModelCall): void
  /** A turn came to rest. */
  rested(turn: Turn): void
}

const msPerSecond = 1_000

/** Counts for `/metrics`. */
export function createTurnMetrics(metrics: Metrics): Observer {
  const turns = metrics.counter('atrium_turns_total', 'Turns that came to rest.', ['door', 'outcome'])
  const turnTime = metrics.histogram('atrium_turn_seconds', 'From the message to the end of its turn.', ['door'])
  const failures = metrics.counter('atrium_turn_failures_total', 'Turns that failed, by the code of the fault.', [
    'code',
  ])
  const modelTime = metrics.histogram('atrium_model_seconds', 'Calls of a model, from question to last token.', [
    'model',
  ])
  const tokens = metrics.counter(
    'atrium_tokens_total',
    'Tokens of models. Cached ones are among the input, reasoning is among the output.',
    ['model', 'kind'],
  )
  const cost = metrics.counter(
    'atrium_cost_usd_total',
    'Cost of models. Calls with an unknown price are not in it: atrium_unpriced_calls_total counts them.',
    ['model'],
  )
  const unpriced = metrics.counter(
    'atrium_unpriced_calls_total',
    'Calls of models with an unknown price. Above 0, the cost of the model is more than atrium_cost_usd_total.',
    ['model'],
  )
  const tools = metrics.counter('atrium_tool_calls_total', 'Tool calls that were run.', ['tool', 'outcome'])
  const toolTime = metrics.histogram('atrium_tool_seconds', 'Tool calls, from attempt to result.', ['tool'])

  function countCall({ model, usage, ms }: ModelCall): void {
    modelTime.observe(ms / msPerSecond, model)
    tokens.add(usage.inputTokens, model, 'input')
    tokens.add(usage.cachedTokens, model, 'cached')
    tokens.add(usage.outputTokens, model, 'output')
    tokens.add(usage.reasoningTokens, model, 'reasoning')
    // A model without a price has no cost series: 0 would be a lie. Every model has the series of unpriced calls.
    unpriced.add(usage.costUsd === null ? 1 : 0, model)
    if (usage.costUsd !== null) cost.add(usage.costUsd, model)
  }

  return {
    stepped(entries, before, history, lost) {
      if (lost) countCall(lost)
      for (const { item, at, asked } of entries) {
        if (asked) countCall(asked)
        if (item.type !== 'result') continue
        const { callId, error } = item
        const isAttempt = (each: Entry): boolean => each.item.type === 'attempt' && each.item.callId === callId
        const attempt = entries.findLast(isAttempt) ?? before.findLast(isAttempt)
        // Calls of unknown tools and refused calls were never run.
        if (!attempt) continue
        const call = history.findLast((each) => each.type === 'call' && each.callId === callId)
        const name = call?.type === 'call' ? call.name : 'unknown'
        tools.add(1, name, error ? 'error' : 'ok')
        toolTime.observe((at - attempt.at) / msPerSecond, name)
      }
    },
    rested(turn) {
      const { door, status, error, createdAt, endedAt } = turn
      if (!isAtRest(status)) return
      turns.add(1, door, status)
      if (status === 'failed') failures.add(1, error?.code ?? 'internal')
      if (endedAt !== undefined) turnTime.observe((endedAt - createdAt) / msPerSecond, door)
    },
  }
}
