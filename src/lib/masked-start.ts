// The beginning of a foreign text, in which secrets are masked.

/** Twice as much is masked as is kept: a secret at the end must not be cut before it is recognised. */
export function maskedStart(text: string, maxChars: number, mask: (text: string) => string): string {
  return mask(text.slice(0, 2 * maxChars)).slice(0, maxChars)
}
