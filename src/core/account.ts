// The rules for users and their tokens, the same at every door that makes them.

export const dayMs = 86_400_000
/** How far off the end of a token may be. */
export const maxTokenDays = 3_650

export const userNamePattern = /^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u
/** The pattern in words. */
export const userNameRule = '1 to 64 letters, digits, spaces and . _ @ -, beginning with a letter or digit'
