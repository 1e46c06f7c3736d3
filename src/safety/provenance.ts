// The provenance of a URL: written by the user, found in a result, or composed by the model. Under taint a composed URL
// is how data leaks: a page cannot send a secret, but a model that it has fooled can put one into a URL and fetch it.
import { isUserMessage, type Item } from '#core/item.ts'
import { hasText } from '#core/find-text.ts'
import { maxUrlChars } from './urls.ts'

export type Provenance = 'user' | 'result' | 'host-named-by-user' | 'composed'

/** At most this many characters at the end of a URL are trimmed as punctuation. */
const maxTrimmed = 16
/** A shorter path and query is too common to prove that the model wrote it before. */
const minTailChars = 8

/**
 * Finds the provenance of a URL. The whole URL as sent counts, so without the part after #. A result counts only if it
 * came from outside and the model had not written the URL, or its path and query, before. A result of memory never
 * counts, since the model may write memory without approval.
 */
export function provenance(url: string, items: readonly Item[]): Provenance {
  const target = wireForm(url)
  if (target === undefined) return 'composed'
  const users = items.flatMap((item) => (isUserMessage(item) ? [typedText(item)] : []))
  if (users.some((text) => hasUrl(text, target))) return 'user'
  if (isFromResult(target, items)) return 'result'
  return users.some((text) => namesHost(text, target)) ? 'host-named-by-user' : 'composed'
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

type WireForm = { readonly href: string; readonly host: string; readonly port: string; readonly tail: string }

/** The canonical form of a URL: two spellings have the same form exactly if they make the same request. */
function wireForm(url: string): WireForm | undefined {
  if (url.length > maxUrlChars || !/^https?:\/\//i.test(url)) return undefined
  try {
    const parsed = new URL(url)
    parsed.hash = ''
    const port = parsed.port || (parsed.protocol === 'http:' ? '80' : '443')
    return { href: parsed.href, host: parsed.hostname, port, tail: parsed.pathname.slice(1) + parsed.search }
  } catch {
    return undefined
  }
}

function hasUrl(text: string, { href, host }: WireForm): boolean {
  // A shortcut for most texts: without the host itself, only an escaped or non-ASCII spelling could still match.
  if (!/https?:/i.test(text) || !(text.toLowerCase().includes(host) || /[%\\&\P{ASCII}]/u.test(text))) return false
  return new Set(urlsIn(text)).values().some((each) => wireForm(each)?.href === href)
}

function isFromResult(target: WireForm, items: readonly Item[]): boolean {
  const fromMemory = new Set(items.flatMap((item) => (isMemoryCall(item) ? [item.callId] : [])))
  const source = items.findIndex(
    (item) => isFromOutside(item) && !fromMemory.has(item.callId) && hasUrl(item.output ?? '', target),
  )
  // If the model wrote the URL first, a result may only echo it.
  const before = items.slice(0, Math.max(source, 0)).flatMap(modelTexts)
  return source >= 0 && !before.some((text) => hasUrl(text, target) || hasTail(text, target))
}

/** True for text from outside or from a person. The service's own messages about a call repeat what the model wrote. */
function isFromOutside(item: Item): item is Extract<Item, { type: 'result' | 'answer' }> {
  return item.type === 'answer' || (item.type === 'result' && item.origin !== undefined)
}

function isMemoryCall(item: Item): item is Extract<Item, { type: 'call' }> {
  return item.type === 'call' && item.name.startsWith('memory_')
}

/** True when a text of the model has the URL's path and query: a server that echoes them adds the host. */
function hasTail(text: string, { tail }: WireForm): boolean {
  if (tail.length < minTailChars) return false
  return hasText(text, tail) || (/[%+]/.test(text + tail) && hasText(decoded(text), decoded(tail)))
}

/** The texts of an item that the model wrote. Arguments come raw and with their escapes decoded. */
function modelTexts(item: Item): string[] {
  if (item.type === 'call') return [item.name, item.args, unescaped(item.args)]
  if (item.type === 'reasoning' || item.type === 'summary') return [item.text]
  if (item.type !== 'message' || item.role !== 'assistant') return []
  return item.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

/** The text that the user typed in a message, without files, pictures and text from outside. */
function typedText({ content }: Extract<Item, { type: 'message' }>): string {
  return content.map((part) => (part.type === 'text' && part.origin === undefined ? part.text : ' ')).join('\n')
}

/** File extensions that are also top-level domains: README.md is a file unless it is written as a URL. */
const fileEndings = /\.(?:md|rs|py|sh|zip|mov|pl|cc|so|ps|st|mm|bz|gz|java|app|bat|com\.\w+)$/i

/** True when a text names exactly this host, in a URL or alone; a subdomain or another port does not count. */
function namesHost(text: string, { host, port }: WireForm): boolean {
  const named = urlsIn(text).flatMap((each) => wireForm(each) ?? [])
  if (named.some((each) => each.host === host && (each.port === port || (each.port === '80' && port === '443'))))
    return true
  if (port !== '80' && port !== '443') return false
  const bare = text.matchAll(
    /(?<![\p{L}\p{N}@/._-])(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}[\p{L}\p{N}-]{1,62}(?![\p{L}\p{N}@_-]|\.[\p{L}\p{N}])/gu,
  )
  return [...bare].some(([name]) => !fileEndings.test(name) && wireForm(`https://${name}/`)?.host === host)
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

function unescaped(json: string): string {
  return json
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('\\/', '/')
}

function decoded(text: string): string {
  return text
    .replaceAll(/%([2-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('+', ' ')
}
