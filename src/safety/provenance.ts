// Who gave an address: the user, a result that the model was given, or nobody, so that the model put it together.
// Under taint the last is how data leaves: a page cannot send a secret, but a model that it has fooled can ask for one in
// an address.
import type { Item } from '#core/item.ts'

export type Provenance = 'user' | 'result' | 'host-named-by-user' | 'composed'

const maxUrlChars = 8_192
/** Signs after an address that are taken for punctuation. */
const maxTrimmed = 16
/** Shorter ends of an address say too little to tell that the model wrote them before. */
const minTailChars = 8

/**
 * Decides for an address. The whole of it counts, as it goes over the wire; the part after # does not go. A result counts
 * only where it came from outside, and the model had not written the address, or all that follows its host, before it
 * came; and never a result of memory, which the model may write unasked.
 */
export function provenance(url: string, items: readonly Item[]): Provenance {
  const wanted = wireForm(url)
  if (wanted === undefined) return 'composed'
  const users = items.flatMap((item) => (isUsers(item) ? [ownWords(item)] : []))
  if (users.some((text) => holds(text, wanted))) return 'user'
  if (givenByResult(wanted, items)) return 'result'
  return users.some((text) => namesHost(text, wanted)) ? 'host-named-by-user' : 'composed'
}

/** The http addresses in a text, without the punctuation that follows them in prose, markdown or HTML. */
export function urlsIn(text: string): string[] {
  const plain = text
    .replaceAll('\\/', '/')
    .replaceAll(/\\u0026/gi, '&')
    .replaceAll(/&(?:amp|#38|#x26);/gi, '&')
  return [...plain.matchAll(/https?:\/\/[^\s<>"'`\\^{|}\p{Cc}\p{Cf}]{1,8192}/giu)].map(([found]) => trimmed(found))
}

type Wanted = { readonly href: string; readonly host: string; readonly port: string; readonly tail: string }

/** Two spellings that make the same request are one address; nothing else is. */
function wireForm(url: string): Wanted | undefined {
  if (url.length > maxUrlChars || !/^https?:\/\//i.test(url)) return undefined
  try {
    const read = new URL(url)
    read.hash = ''
    const port = read.port || (read.protocol === 'http:' ? '80' : '443')
    return { href: read.href, host: read.hostname, port, tail: read.pathname.slice(1) + read.search }
  } catch {
    return undefined
  }
}

function holds(text: string, { href, host }: Wanted): boolean {
  // A host in another spelling has a sign that plain text has not: most texts are settled without reading an address.
  if (!/https?:/i.test(text) || !(text.toLowerCase().includes(host) || /[%\\&\P{ASCII}]/u.test(text))) return false
  return new Set(urlsIn(text)).values().some((each) => wireForm(each)?.href === href)
}

function givenByResult(wanted: Wanted, items: readonly Item[]): boolean {
  const fromMemory = new Set(items.flatMap((item) => (isOfMemory(item) ? [item.callId] : [])))
  const given = items.findIndex(
    (item) => isGiven(item) && !fromMemory.has(item.callId) && holds(item.output ?? '', wanted),
  )
  // What the model wrote first is its own, wherever it reads it again.
  const before = items.slice(0, Math.max(given, 0)).flatMap(writtenIn)
  return given >= 0 && !before.some((text) => holds(text, wanted) || echoes(text, wanted))
}

/** Words from outside, or a person's. Our own about a call repeat what the model wrote: its name, its arguments. */
function isGiven(item: Item): item is Extract<Item, { type: 'result' | 'answer' }> {
  return item.type === 'answer' || (item.type === 'result' && item.origin !== undefined)
}

function isOfMemory(item: Item): item is Extract<Item, { type: 'call' }> {
  return item.type === 'call' && item.name.startsWith('memory_')
}

/** All that follows the host, in a text of the model's: an echo puts the host before it. */
function echoes(text: string, { tail }: Wanted): boolean {
  if (tail.length < minTailChars) return false
  return text.includes(tail) || (/[%+]/.test(text + tail) && decoded(text).includes(decoded(tail)))
}

/** The texts of an item that the model wrote. Arguments are looked at as they are and with their escapes read. */
function writtenIn(item: Item): string[] {
  if (item.type === 'call') return [item.name, item.args, unescaped(item.args)]
  if (item.type === 'reasoning' || item.type === 'summary') return [item.text]
  if (item.type !== 'message' || item.role !== 'assistant') return []
  return item.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

function isUsers(item: Item): item is Extract<Item, { type: 'message' }> {
  return item.type === 'message' && item.role === 'user'
}

/** What the user said in a message: no file, no picture, nothing that came from outside. */
function ownWords({ content }: Extract<Item, { type: 'message' }>): string {
  return content.map((part) => (part.type === 'text' && part.origin === undefined ? part.text : ' ')).join('\n')
}

/** Endings of file names that are also endings of domains: README.md names a file unless it is written as an address. */
const fileEndings = /\.(?:md|rs|py|sh|zip|mov|pl|cc|so|ps|st|mm|bz|gz|java|app|bat|com\.\w+)$/i

/** True when the user wrote this very host, as part of an address or alone; no subdomain, no other port. */
function namesHost(text: string, { host, port }: Wanted): boolean {
  const named = urlsIn(text).flatMap((each) => wireForm(each) ?? [])
  if (named.some((each) => each.host === host && (each.port === port || (each.port === '80' && port === '443'))))
    return true
  if (port !== '80' && port !== '443') return false
  const bare = text.matchAll(
    /(?<![\p{L}\p{N}@/._-])(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}[\p{L}\p{N}-]{1,62}(?![\p{L}\p{N}@_-]|\.[\p{L}\p{N}])/gu,
  )
  return [...bare].some(([name]) => !fileEndings.test(name) && wireForm(`https://${name}/`)?.host === host)
}

/** Without what ends a sentence, a bracket or a markdown link; a bracket that was opened inside stays. */
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
