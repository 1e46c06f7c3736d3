// The rule for a thread's title.
import { maxThreadTitleChars } from '#core/page-limits.ts'

/** True for 1 to `maxThreadTitleChars` characters in one line. */
export function isTitle(text: string): boolean {
  return text.length <= maxThreadTitleChars && /^[^\p{Cc}\u2028\u2029]+$/u.test(text)
}
