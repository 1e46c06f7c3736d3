// Schemas for environment variables: text in, a checked value out. A fault never quotes a text that may be a secret.
import { isIP } from 'node:net'
import * as z from 'zod/mini'
import { isProvider, providerNames } from '#core/providers.ts'
import { withoutEndSlashes } from '#lib/end-slashes.ts'

const maxSecretLength = 4096
const maxNameLength = 256
const maxQuoteLength = 40

/** True or false, in the usual words. */
export function flag() {
  return z.stringbool({
    truthy: ['true', '1', 'yes', 'on'],
    falsy: ['false', '0', 'no', 'off'],
    error: (issue) => `must be true or false, not ${quote(issue.input)}`,
  })
}

/** A whole number within bounds. */
export function wholeNumber(min: number, max: number) {
  const fits = (text: string) => /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max
  const error = (issue: { input?: unknown }) =>
    `must be a whole number from ${min} to ${max}, not ${quote(issue.input)}`
  return z.pipe(z.string().check(z.refine(fits, { error })), z.transform(Number))
}

/** An amount of money; fractions of a cent are allowed. */
export function amount(max: number) {
  const fits = (text: string) => /^\d{1,9}(\.\d{1,9})?$/.test(text) && Number(text) <= max
  const error = (issue: { input?: unknown }) => `must be a number from 0 to ${max}, not ${quote(issue.input)}`
  return z.pipe(z.string().check(z.refine(fits, { error })), z.transform(Number))
}

/** One of a few words, in any case. */
export function choice<const T extends string>(words: readonly T[]) {
  const error = (issue: { input?: unknown }) => `must be one of ${words.join(', ')}, not ${quote(issue.input)}`
  return z.pipe(z.string().check(z.toLowerCase()), z.enum(words, { error }))
}

/** A secret sent as part of an HTTP header. */
export function secret() {
  const fault = `must be 1 to ${maxSecretLength} printable ASCII characters without white space`
  return z.string().check(z.regex(/^[\x21-\x7e]+$/, fault), z.maxLength(maxSecretLength, fault))
}

/** A secret that is a whole HTTP header value, so it may contain spaces. */
export function passphrase() {
  const fault = `must be 1 to ${maxSecretLength} printable ASCII characters without white space at its ends`
  return z
    .string()
    .check(z.regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, fault), z.maxLength(maxSecretLength, fault))
}

/** A name such as a model's. */
export function label() {
  const valid = (text: string) => text.length <= maxNameLength && text.trim() === text && !/\p{Cc}/u.test(text)
  const fault = `must be 1 to ${maxNameLength} characters without control characters and white space at its ends`
  return z.string().check(z.refine(valid, { error: fault }))
}

/** A host to listen on: a name or a bare address. */
export function host() {
  const valid = (text: string) => isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text)
  const error = (issue: { input?: unknown }) =>
    `must be a host name or an address, without brackets or port, not ${quote(issue.input)}`
  return z.string().check(z.refine(valid, { error }))
}

/** The http or https URL of a server, without secrets. Slashes at the end are removed. */
export function serverUrl() {
  const fault = 'must be an http or https URL without user, password, query and fragment'
  return parsedBy((text) => (isPlainWebUrl(text) ? withoutEndSlashes(text) : undefined), fault)
}

/** The URL of a PostgreSQL server. It may contain a password. */
export function databaseUrl() {
  const valid = (text: string) => {
    const { protocol = '', hostname = '' } = URL.parse(text) ?? {}
    return /^postgres(ql)?:$/.test(protocol) && !hostname.includes(',')
  }
  return z.string().check(z.refine(valid, { error: 'must be a postgres:// URL with one host' }))
}

/** A comma list of origins, as in an Origin header. */
export function origins() {
  const read = (text: string) =>
    isPlainWebUrl(text) && URL.parse(text)?.pathname === '/' ? new URL(text).origin : undefined
  return parsedBy(
    (text) => listOf(text, read),
    'must be a comma list of origins, each http or https with a host and no path',
  )
}

/** A comma list of domain names. */
export function domains() {
  const read = (text: string) => (/^([a-z0-9-]+\.)+[a-z0-9-]+$/i.test(text) ? text.toLowerCase() : undefined)
  return parsedBy((text) => listOf(text, read), 'must be a comma list of domains')
}

/** Headers as a comma list of `name=value`, the values percent-encoded. */
export function headerList() {
  const read = (text: string): [string, string] | undefined => {
    const [, name = '', encoded = ''] = /^([\w-]+)\s*=\s*(.*)$/.exec(text) ?? []
    const value = decoded(encoded)
    return name !== '' && value !== undefined && /^[\x20-\x7e]+$/.test(value) ? [name.toLowerCase(), value] : undefined
  }
  const readAll = (text: string) => {
    const pairs = listOf(text, read)
    return pairs && Object.fromEntries(pairs)
  }
  return parsedBy(readAll, 'must be a comma list of name=value')
}

/** Undefined for text that is not percent-encoded. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** USD per million tokens of input and of output. */
export function tokenPrice() {
  return parsedBy((text) => {
    const [input, output, ...rest] = text.split(',').map((each) => each.trim())
    const fits = (each = '') => /^\d{1,6}(\.\d{1,9})?$/.test(each)
    if (!fits(input) || !fits(output) || rest.length > 0) return undefined
    return { input: Number(input), output: Number(output) }
  }, 'must be two numbers from 0 to 999999: USD per million tokens of input and of output')
}

/** A comma list of providers, each with a model after a slash or its default model. */
export function fallbacks() {
  const read = (text: string) => {
    // No model name contains `@http://` or `@https://`.
    const [, choice = text, url] = /^(.*?)@(https?:\/\/.*)$/.exec(text) ?? []
    const [provider = '', ...name] = choice.split('/')
    if (!isProvider(provider) || (url !== undefined && !isPlainWebUrl(url))) return undefined
    const baseUrl = url && withoutEndSlashes(url)
    return { provider, ...(name.length > 0 && { name: name.join('/') }), ...(baseUrl && { baseUrl }) }
  }
  return parsedBy(
    (text) => listOf(text, read),
    `must be a comma list of provider/model or provider/model@URL, each provider one of ${providerNames.join(', ')}`,
  )
}

/** A comma list of hosts, each with a port or for every port. IPv6 addresses are in brackets. */
export function privateHosts() {
  const read = (text: string) => {
    const url = /^[^\s/?#@\\]+$/.test(text) ? URL.parse(`ws://${text}`) : null
    return url && url.hostname !== '' ? url.hostname + (/:\d+$/.test(text) ? `:${url.port || 80}` : '') : undefined
  }
  return parsedBy((text) => listOf(text, read), 'must be a comma list of hosts, each a name or an address')
}

/** Which proxies to trust about a client's address. `true` is the nearest hop: a client can invent further ones. */
export function trustProxy() {
  return parsedBy<false | number | readonly string[]>((text) => {
    if (/^(false|no|off|0)$/i.test(text)) return false
    if (/^(true|yes|on)$/i.test(text)) return 1
    if (/^\d{1,2}$/.test(text)) return Number(text)
    return listOf(text, networkOf)
  }, 'must be true, false, a number of hops, or a comma list of addresses and networks')
}

/** A value read by a function that returns undefined for a fault. The fault does not quote the text. */
function parsedBy<T>(read: (text: string) => T | undefined, fault: string) {
  const readable = z.string().check(z.refine((text) => read(text) !== undefined, { error: fault }))
  return z.pipe(
    readable,
    z.transform((text: string) => read(text) as T),
  )
}

function networkOf(text: string): string | undefined {
  const [address = '', bits, ...rest] = text.split('/')
  const maxBits = isIP(address) === 6 ? 128 : 32
  if (isIP(address) === 0 || rest.length > 0) return undefined
  if (bits === undefined) return text
  // /0 would trust everybody's word.
  return /^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= maxBits ? text : undefined
}

function isPlainWebUrl(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || /[\s?#]/.test(text)) return false
  return url.username === '' && url.password === ''
}

/** Undefined if an item is faulty or there are none. */
function listOf<T>(text: string, read: (item: string) => T | undefined): readonly T[] | undefined {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map(read)
  return items.length > 0 && items.every((item) => item !== undefined) ? items : undefined
}

/** Quotes a text for one line of a terminal: shortened, printable ASCII only. */
function quote(value: unknown): string {
  const text = String(value).replace(/[^\x20-\x7e]/g, '?')
  return text.length > maxQuoteLength ? `"${text.slice(0, maxQuoteLength)}…"` : `"${text}"`
}
