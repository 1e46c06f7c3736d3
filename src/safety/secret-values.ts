// Values that are secret: how they are spelled on the wire, masking them, and the names under which they are asked for.

const maskText = '***'

/** Shorter values would mask half the alphabet; they are not worth calling secret. */
const minSecretChars = 4

/** Masks the given spellings in texts. Made once for many texts: a guest decides how many there are. */
export function createMask(spellings: readonly string[]): (text: string) => string {
  if (spellings.length === 0) return (text) => text
  const pattern = anyOf(spellings)
  return (text) => text.replaceAll(pattern, maskText)
}

/**
 * The bytes without the given spellings. The same buffer comes back when there was nothing to mask. Whoever wrote the
 * bytes may have filled them with a spelling, so a match must cost next to nothing.
 */
export function maskBytes(bytes: Buffer, spellings: readonly string[]): Buffer {
  const found = spellings.map((each) => Buffer.from(each, 'utf8')).filter((needle) => bytes.includes(needle))
  if (found.length === 0) return bytes
  const pattern = anyOf(found.map((needle) => needle.toString('latin1')))
  return Buffer.from(bytes.toString('latin1').replaceAll(pattern, maskText), 'latin1')
}

/**
 * The ways a value may come back in an echo: plain, in JSON, in a URL, in hex, in base64 at any offset.
 * Longest first, so that no masked part leaves the rest of a longer spelling.
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
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => [base64At(bytes, offset, 'base64'), base64At(bytes, offset, 'base64url')]),
  ]
  return [...new Set(all)].filter((spelling) => spelling.length >= minSecretChars).sort((a, b) => b.length - a.length)
}

/** As some servers write JSON: signs that mean something in HTML, and + , by their number. */
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

/** Longest first, so that no masked part leaves the rest of a longer spelling. */
function anyOf(spellings: readonly string[]): RegExp {
  const longestFirst = [...new Set(spellings)].sort((a, b) => b.length - a.length)
  return new RegExp(longestFirst.map((each) => RegExp.escape(each)).join('|'), 'g')
}

/** The characters that a value surely yields when it stands `offset` bytes into a base64 group, edges left out. */
function base64At(bytes: Buffer, offset: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString(encoding)
    .replaceAll('=', '')
  const start = Math.ceil((offset * 8) / 6)
  const end = Math.floor(((offset + bytes.length) * 8) / 6)
  return text.slice(start, end)
}
