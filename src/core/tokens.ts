// Counts of tokens: what a provider reports, and estimates.

/** Characters, or bytes, per token of English or code. */
export const charsPerToken = 4
/** More than any model takes or writes. Sums of larger counts could not be stored. */
const maxTokens = 1_000_000_000

/** A count that a provider reported; 0 for what cannot be one. */
export function tokenCount(value: unknown): number {
  return typeof value === 'number' && value > 0 && value <= maxTokens ? Math.trunc(value) : 0
}
