// The average length of a token, for estimates.

/** Characters, or bytes, per token of English or code. */
export const charsPerToken = 4
