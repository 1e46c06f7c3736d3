// Wire formats shared by every door: times, usage and grants.
import type { Grant } from '#core/grant.ts'
import type { Usage } from '#core/turn.ts'
import { isoTime, isoTimeOrNull } from '#core/time.ts'

/** Whole seconds since 1970, as in the OpenAI API. */
export function unixTime(ms: number): number {
  return Math.floor(ms / 1000)
}

/** Usage with the field names of the OpenAI API, its cost, and the model that answered last. A null cost is unknown. */
export function usageWire(usage: Usage) {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
    // Rounds away the floating-point noise of a sum.
    cost_usd: usage.costUsd === null ? null : Number(usage.costUsd.toFixed(10)),
    ...(usage.model !== undefined && { model: usage.model }),
  }
}

export function grantWire({ id, userId, tool, target, by, createdAt, until, clean, uses }: Grant) {
  return {
    id,
    user: userId,
    tool,
    scope: target === undefined ? ('tool' as const) : ('target' as const),
    target: target ?? null,
    untrusted: !clean,
    by,
    created_at: isoTime(createdAt),
    expires_at: isoTimeOrNull(until),
    uses,
  }
}
