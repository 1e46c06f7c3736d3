// What every door writes the same way: times, grants, and what a turn has used.
import type { Grant } from '#core/grant.ts'
import type { Usage } from '#core/turn.ts'

/** ISO 8601 in UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Whole seconds since 1970, as the reference format has them. */
export function unixTime(ms: number): number {
  return Math.floor(ms / 1000)
}

/** Usage in the words of the reference format, with its cost: null is unknown. */
export function usageWire(usage: Usage) {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
    // A sum of fractions has digits that nobody was charged.
    cost_usd: usage.costUsd === null ? null : Number(usage.costUsd.toFixed(10)),
  }
}

/** A grant as every door shows it. */
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
    expires_at: until === undefined ? null : isoTime(until),
    uses,
  }
}
