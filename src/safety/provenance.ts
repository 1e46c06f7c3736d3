// The provenance of a URL: written by the user, found in a result, or composed by the model. Under taint a composed URL
// is how data leaks: a page cannot send a secret, but a model that it has fooled can put one into a URL and fetch it.
import { hasTextInSlices } from '#core/find-text.ts'
import { isAssistantMessage, isUserMessage, type Item } from '#core/item.ts'
import { drained } from './drained.ts'
import { textSlices, urlsIn, type WireForm, wireForm } from './urls-in-text.ts'

export type Provenance = 'user' | 'result' | 'host-named-by-user' | 'composed'

/** A shorter path and query is too common to prove that the model wrote it before. */
const minTailChars = 8
/** More hosts are not looked for one by one: every URL is read. */
const maxHosts = 4

/**
 * Finds the provenance of a URL. The whole URL as sent counts, so without the part after #. A result counts only if it
 * came from outside and the model had not written the URL, or its path and query, before. A result of memory never
 * counts, since the model may write memory without approval.
 */
export function provenance(url: string, items: readonly Item[]): Provenance {
  return drained(provenanceInSlices([url], items))[0] ?? 'composed'
}

/** What was found out about a URL so far. */
type Sought = WireForm & {
  typed?: true
  hostTyped?: true
  /** The index of the first result that has it. */
  source?: number
  /** The model wrote it before that. */
  written?: true
}

/** The same for several URLs, in slices: the items are read once for all. */
export function* provenanceInSlices(
  urls: readonly string[],
  items: readonly Item[],
): Generator<void, readonly Provenance[]> {
  const byUrl = new Map<string, Sought>()
  const places = urls.map((url) => {
    const form = wireForm(url)
    if (form && !byUrl.has(form.href)) byUrl.set(form.href, { ...form })
    return form?.href
  })
  const all = [...byUrl.values()]
  const typed = items.flatMap((item) => (isUserMessage(item) ? [typedText(item)] : []))
  yield* findUrls(typed, all, (sought) => (sought.typed = true))
  yield* findSources(
    items,
    all.filter((sought) => !sought.typed),
  )
  yield* findHosts(
    typed,
    all.filter((sought) => !sought.typed && !isGiven(sought)),
  )
  return places.map((href) => wordOf(href === undefined ? undefined : byUrl.get(href)))
}

function isGiven({ source, written }: Sought): boolean {
  return source !== undefined && !written
}

function wordOf(sought: Sought | undefined): Provenance {
  if (sought?.typed) return 'user'
  if (sought && isGiven(sought)) return 'result'
  return sought?.hostTyped ? 'host-named-by-user' : 'composed'
}

/** Tells which of the URLs are in the texts; each may be told several times. */
function* findUrls(
  texts: Iterable<string>,
  wanted: readonly Sought[],
  tell: (sought: Sought) => void,
): Generator<void> {
  if (wanted.length === 0) return
  const byHref = new Map(wanted.map((sought) => [sought.href, sought]))
  const hosts = new Set(wanted.map(({ host }) => host))
  for (const text of texts) {
    for (const slice of textSlices(text)) {
      if (mayHave(slice, hosts)) {
        for (const url of new Set(urlsIn(slice))) {
          const sought = byHref.get(wireForm(url)?.href ?? '')
          if (sought) tell(sought)
        }
      }
      yield
    }
  }
}

/** A shortcut for most texts: without the host itself, only an escaped or non-ASCII spelling could still match. */
function mayHave(text: string, hosts: ReadonlySet<string>): boolean {
  if (!/https?:/i.test(text)) return false
  if (hosts.size > maxHosts || /[%\\&\P{ASCII}]/u.test(text)) return true
  const lower = text.toLowerCase()
  return hosts.values().some((host) => lower.includes(host))
}

function* findSources(items: readonly Item[], wanted: readonly Sought[]): Generator<void> {
  const fromMemory = new Set(items.flatMap((item) => (isMemoryCall(item) ? [item.callId] : [])))
  let left = wanted
  for (const [at, item] of items.entries()) {
    if (!isFromOutside(item) || fromMemory.has(item.callId)) continue
    yield* findUrls([item.output ?? ''], left, (sought) => (sought.source ??= at))
    left = left.filter(({ source }) => source === undefined)
  }
  // If the model wrote the URL first, a result may only echo it.
  const found = wanted.filter(({ source }) => source !== undefined)
  const last = Math.max(-1, ...found.map(({ source = -1 }) => source))
  for (const [at, item] of items.slice(0, last + 1).entries()) {
    const later = found.filter(({ source = -1, written }) => source > at && !written)
    for (const text of later.length > 0 ? yield* modelTexts(item) : []) {
      yield* findUrls([text], later, (sought) => (sought.written = true))
      yield* findTails(text, later)
    }
  }
}

/** A server that echoes the path and query of a URL adds the host. */
function* findTails(text: string, wanted: readonly Sought[]): Generator<void> {
  const tails = wanted.filter(({ tail, written }) => tail.length >= minTailChars && !written)
  if (tails.length === 0) return
  const isEncoded = /[%+]/.test(text)
  const plain = isEncoded ? yield* decoded(text) : text
  for (const sought of tails) {
    const { tail } = sought
    if (yield* hasTextInSlices(text, tail)) sought.written = true
    else if (isEncoded || /[%+]/.test(tail)) {
      if (yield* hasTextInSlices(plain, yield* decoded(tail))) sought.written = true
    }
  }
}

/** True for text from outside or from a person. The service's own messages about a call repeat what the model wrote. */
function isFromOutside(item: Item): item is Extract<Item, { type: 'result' | 'answer' }> {
  return item.type === 'answer' || (item.type === 'result' && item.origin !== undefined)
}

function isMemoryCall(item: Item): item is Extract<Item, { type: 'call' }> {
  return item.type === 'call' && item.name.startsWith('memory_')
}

/** The texts of an item that the model wrote. Arguments come raw and with their escapes decoded. */
function* modelTexts(item: Item): Generator<void, readonly string[]> {
  if (item.type === 'call') return [item.name, item.args, yield* unescaped(item.args)]
  if (item.type === 'reasoning' || item.type === 'summary') return [item.text]
  if (!isAssistantMessage(item)) return []
  return item.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

/** The text that the user typed in a message, without files, pictures and text from outside. */
function typedText({ content }: Extract<Item, { type: 'message' }>): string {
  return content.map((part) => (part.type === 'text' && part.origin === undefined ? part.text : ' ')).join('\n')
}

/** File extensions that are also top-level domains: README.md is a file unless it is written as a URL. */
const fileEndings = /\.(?:md|rs|py|sh|zip|mov|pl|cc|so|ps|st|mm|bz|gz|java|app|bat|com\.\w+)$/i

function* findHosts(texts: readonly string[], wanted: readonly Sought[]): Generator<void> {
  if (wanted.length === 0) return
  for (const text of texts) {
    for (const slice of textSlices(text)) {
      tellHosts(slice, wanted)
      yield
    }
  }
}

const hostInText =
  /(?<![\p{L}\p{N}@/._-])(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}[\p{L}\p{N}-]{1,62}(?![\p{L}\p{N}@_-]|\.[\p{L}\p{N}])/gu

/** Tells which hosts a text names exactly, in a URL or alone; a subdomain or another port does not count. */
function tellHosts(text: string, wanted: readonly Sought[]): void {
  const named = new Set(urlsIn(text).flatMap((url) => hostAndPort(wireForm(url))))
  const names = [...text.matchAll(hostInText)].map(([name]) => name).filter((name) => !fileEndings.test(name))
  const alone = new Set(names.map((name) => wireForm(`https://${name}/`)?.host))
  for (const sought of wanted) {
    const { host, port } = sought
    const inUrl = named.has(`${host}:${port}`) || (port === '443' && named.has(`${host}:80`))
    if (inUrl || ((port === '80' || port === '443') && alone.has(host))) sought.hostTyped = true
  }
}

function hostAndPort(form: WireForm | undefined): string[] {
  return form ? [`${form.host}:${form.port}`] : []
}

/** Escapes of JSON decoded, in slices. */
function* unescaped(json: string): Generator<void, string> {
  let text = ''
  let open = ''
  for (const slice of escapeSlices(json, '\\', 6)) {
    const piece = open + slice.replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => letterOf(hex))
    // The slash may be in the next slice.
    open = piece.endsWith('\\') ? '\\' : ''
    text += piece.slice(0, piece.length - open.length).replaceAll('\\/', '/')
    yield
  }
  return text + open
}

/** Escapes of a URL decoded, in slices. */
function* decoded(url: string): Generator<void, string> {
  let text = ''
  for (const slice of escapeSlices(url, '%', 3)) {
    text += slice.replaceAll(/%([2-7][0-9a-f])/gi, (_, hex: string) => letterOf(hex)).replaceAll('+', ' ')
    yield
  }
  return text
}

function letterOf(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16))
}

const escapeSliceChars = 32 * 1024

/** A text in pieces that cut no escape of this sign and length. */
function* escapeSlices(text: string, sign: string, length: number): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = from + escapeSliceChars
    const open = end < text.length ? text.slice(end - length + 1, end).indexOf(sign) : -1
    const to = open < 0 ? end : end - length + 1 + open
    yield text.slice(from, to)
    from = to
  }
}
