// What the title of a thread may be.
export const maxTitleChars = 200

/** True for 1 to 200 characters in one line. */
export function isTitle(text: string): boolean {
  return text.length <= maxTitleChars && /^[^\p{Cc}\u2028\u2029]+$/u.test(text)
}
