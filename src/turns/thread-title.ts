// The rule for a thread's title.
import { maxThreadTitleChars } from '#core/page-limits.ts'

const title = new RegExp(String.raw`^[^\p{Cc}\u2028\u2029]{1,${maxThreadTitleChars}}$`, 'u')

/** True for 1 to `maxThreadTitleChars` characters in one line; an emoji is one. */
export function isTitle(text: string): boolean {
  return title.test(text)
}
