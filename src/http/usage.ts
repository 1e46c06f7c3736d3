// What a turn has used, in the words of the reference format and with its cost.
import type { Usage } from '#core/turn.ts'

export function usageWire(usage: Usage) {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
    cost_usd: usage.costUsd,
  }
}
