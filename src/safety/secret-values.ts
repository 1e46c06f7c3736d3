// Secret values: their spellings on the wire, masking them, and parameter names that ask for one.
import type { UserId } from '#core/ids.ts'

/** Masks secrets in text that is stored and shown. */
export type Mask = (text: string) => string | Promise<string>

/** The same with the secrets of a user. */
export type UserMask = (text: string, user: UserId) => string | Promise<string>

/** Stands in place of a secret. */
export const maskText = '***'

/** Shorter values are not masked: they would match everywhere. */
const minSecretChars = 4

/** Makes a function that masks the spellings in a text. Make it once for many texts: a guest decides how many there are. */
export function createMask(spellings: readonly string[]): (text: string) => string {
  if (spellings.length === 0) return (text) => text
  const pattern = anyOf(spellings)
  return (text) => text.replaceAll(pattern, maskText)
}

/**
 * Masks the spellings in bytes. Returns the same buffer if there is nothing to mask. The bytes may be full of a spelling
 * on purpose, so each match must be cheap.
 */
export function maskBytes(bytes: Buffer, spellings: readonly string[]): Buffer {
  const found = spellings.map((each) => Buffer.from(each, 'utf8')).filter((needle) => bytes.includes(needle))
  if (found.length === 0) return bytes
  const pattern = anyOf(found.map((needle) => needle.toString('latin1')))
  return Buffer.from(bytes.toString('latin1').replaceAll(pattern, maskText), 'latin1')
}

/**
 * The spellings in which a server may echo a value: plain, in JSON, in a URL, in HTML, in hex, in base64 at any offset.
 * Longest first, so that masking a short spelling leaves no rest of a longer one.
 */
export function spellingsOf(value: string): string[] {
  if (value.length < minSecretChars) return []
  const bytes = Buffer.from(value, 'utf8')
  const encoded = encodeURIComponent(value.toWellFormed())
  const all = [
    value,
    JSON.stringify(value).slice(1, -1),
    JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/'),
    escapedAsUnicode(value),
    escapedAsUnicode(value).replaceAll(/\\u[0-9a-f]{4}/g, (part) => `\\u${part.slice(2).toUpperCase()}`),
    encoded,
    encoded.replaceAll(/%[0-9A-F]{2}/g, (part) => part.toLowerCase()),
    encoded.replaceAll('%20', '+'),
    encodeURI(value.toWellFormed()),
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    ...encodedSpellings(bytes),
  ]
  return [...new Set(all)].filter((spelling) => spelling.length >= minSecretChars).sort((a, b) => b.length - a.length)
}

/** The spellings of a secret that is bytes: as Latin-1, in hex, in base64 at any offset. */
export function spellingsOfBytes(value: Uint8Array): string[] {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length)
  return [bytes.toString('latin1'), ...encodedSpellings(bytes)]
}

function encodedSpellings(bytes: Buffer): string[] {
  return [
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => [base64At(bytes, offset, 'base64'), base64At(bytes, offset, 'base64url')]),
  ]
}

/** JSON as some servers write it: quotes, `+` and the special characters of HTML as `\u` escapes. */
function escapedAsUnicode(value: string): string {
  return JSON.stringify(value)
    .slice(1, -1)
    .replaceAll(
      /\\"|[+&<>']/g,
      (sign) => `\\u${(sign.codePointAt(sign.length - 1) ?? 0).toString(16).padStart(4, '0')}`,
    )
}

/** True for a parameter name under which a tool would collect a credential from the model. */
export function asksForSecret(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  const joined = words.join('_')
  return (
    words.some((word) => /^(?:password|passwd|passphrase|secret|apikey|credentials?|pat|jwt|bearer)$/.test(word)) ||
    /(?:^|_)(?:api|access|private|secret|auth|signing|client)_(?:key|token|secret)(?:_|$)/.test(joined) ||
    /^(?:token|auth_token|authorization|oauth_token|refresh_token|session_token|bot_token)$/.test(joined)
  )
}

/** A pattern for any of the spellings, longest first; see `spellingsOf`. */
function anyOf(spellings: readonly string[]): RegExp {
  const longestFirst = [...new Set(spellings)].sort((a, b) => b.length - a.length)
  return new RegExp(longestFirst.map((each) => RegExp.escape(each)).join('|'), 'g')
}

/** The base64 of a value that starts `offset` bytes into a group, without the edges that depend on its neighbours. */
function base64At(bytes: Buffer, offset: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString(encoding)
    .replaceAll('=', '')
  const start = Math.ceil((offset * 8) / 6)
  const end = Math.floor(((offset + bytes.length) * 8) / 6)
  return text.slice(start, end)
}
