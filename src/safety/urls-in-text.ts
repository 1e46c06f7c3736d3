// The http URLs in a text, in slices, and the form by which two URLs are compared.
import { maxUrlChars, parseUrl } from './urls.ts'

/** At most this many characters at the end of a URL are trimmed as punctuation. */
const maxTrimmed = 16
/** Of addresses alone it takes a few milliseconds. */
const sliceChars = 16 * 1024

/** A character that no URL contains: what is cut behind it has the same URLs as the whole. */
const boundary = /[\s<>"'`^{|}\p{Cc}\p{Cf}]|\\(?!\/|u0026)/giu

/** A text in pieces that cut no URL and no name of a host. */
export function* textSlices(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const to = endOfSlice(text, from + sliceChars)
    yield text.slice(from, to)
    from = to
  }
}

function endOfSlice(text: string, end: number): number {
  if (end >= text.length) return text.length
  boundary.lastIndex = end
  return boundary.test(text) ? boundary.lastIndex : text.length
}

/** The http URLs in a text, without the punctuation that follows them in prose, markdown or HTML. */
export function urlsIn(text: string): string[] {
  const plain = text
    .replaceAll('\\/', '/')
    .replaceAll(/\\u0026/gi, '&')
    .replaceAll(/&(?:amp|#38|#x26);/gi, '&')
  return [...plain.matchAll(urlInText)].map(([found]) => trimmed(found))
}

const urlInText = new RegExp(`https?://[^\\s<>"'\`\\\\^{|}\\p{Cc}\\p{Cf}]{1,${maxUrlChars}}`, 'giu')

export type WireForm = { readonly href: string; readonly host: string; readonly port: string; readonly tail: string }

/** The canonical form of a URL: two spellings have the same form exactly if they make the same request. */
export function wireForm(url: string): WireForm | undefined {
  const parsed = /^https?:\/\//i.test(url) ? parseUrl(url) : null
  if (!parsed) return undefined
  parsed.hash = ''
  const port = parsed.port || (parsed.protocol === 'http:' ? '80' : '443')
  return { href: parsed.href, host: parsed.hostname, port, tail: parsed.pathname.slice(1) + parsed.search }
}

/** Trims the end of a sentence, bracket or markdown link. A closing bracket stays if it was opened inside the URL. */
function trimmed(url: string): string {
  let end = url.length
  for (; end > url.length - maxTrimmed; end--) {
    const last = url[end - 1] as string
    if (/[.,;:!?*_~…。，、；：！？）】》」』”’»]/u.test(last)) continue
    const open = last === ')' ? '(' : last === ']' ? '[' : undefined
    if (open === undefined || count(url, open, end) >= count(url, last, end)) break
  }
  return url.slice(0, end)
}

function count(text: string, sign: string, end: number): number {
  let found = 0
  for (let at = text.indexOf(sign); at >= 0 && at < end; at = text.indexOf(sign, at + 1)) found++
  return found
}
