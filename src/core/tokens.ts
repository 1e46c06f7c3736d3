// The length of a token, for estimates where no provider counts.

/** Characters of English or code in a token, on average; bytes likewise. */
export const charsPerToken = 4
