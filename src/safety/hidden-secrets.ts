// Finds hidden secrets in outgoing text: packed in base64 or hex, or a secret of ours re-encoded or split into pieces.

/** Only this much of a text is searched; a model's call is shorter. */
const maxChars = 256 * 1024
/** How many layers of encoding are unpacked. */
const maxLevels = 2
/** A shorter run of letters and digits may appear in a text by chance. */
const minSecretChars = 16
const minPieceChars = 8
const maxPieces = 4

const packed = /(?:[0-9a-f]{2}){16,}|[A-Za-z0-9+/_-]{24,}/gi

/**
 * Yields the text, then every text that is packed in it as base64 or hex, '' for one that is none. Bytes that are not printable
 * become blanks.
 */
export function* unpacked(text: string, levels = maxLevels): Generator<string> {
  yield text
  if (levels === 0) return
  for (const [run] of text.slice(0, maxChars).matchAll(packed)) {
    for (const each of decodedRuns(run)) yield* /[!-~]{12}/.test(each) ? unpacked(each, levels - 1) : ['']
  }
}

/** One after the other: a long run takes milliseconds each time. */
function* decodedRuns(run: string): Generator<string> {
  if (/^[0-9a-f]+$/i.test(run)) yield decodeRun(run, 'hex')
  // Other characters of the same run, such as the path of a URL, may precede the base64 and shift its groups.
  for (let from = 0; from < 4; from++) yield decodeRun(run.slice(from), 'base64')
}

function decodeRun(run: string, encoding: 'hex' | 'base64'): string {
  // In UTF-16, which some shells write, every other byte is zero.
  const bytes = Buffer.from(run, encoding).toString('latin1')
  return (/^(?:[\x20-\x7e]\0){8}/.test(bytes) ? bytes.replaceAll('\0', '') : bytes).replaceAll(/[^\x20-\x7e]/g, ' ')
}

/** Makes a test for texts that hold a secret in pieces: in any order, in any case, with any separators. */
export function createPiecesOf(secrets: readonly (string | Uint8Array)[]): (text: string) => boolean {
  let forms: readonly string[] | undefined
  return (text) => {
    forms ??= [...new Set(secrets.flatMap(formsOf))].filter((form) => form.length >= minSecretChars)
    const bare = forms.length > 0 ? bareOf(text.slice(0, maxChars)) : ''
    return forms.some((form) => bare.includes(form) || isCovered(form, bare))
  }
}

function formsOf(secret: string | Uint8Array): string[] {
  if (typeof secret !== 'string') return encodedForms(Buffer.from(secret))
  const bare = bareOf(secret)
  if (bare.length < minSecretChars) return []
  return [bare, bare.split('').toReversed().join(''), ...encodedForms(Buffer.from(secret))]
}

function encodedForms(bytes: Buffer): string[] {
  return [bytes.toString('hex'), base32Of(bytes), bareOf(bytes.toString('base64'))]
}

/** The letters and digits alone, in lower case. */
function bareOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '')
}

/** True when the form can be cut into a few long pieces that all appear somewhere in the text. */
function isCovered(form: string, bare: string): boolean {
  let at = 0
  for (let pieces = 0; pieces < maxPieces && at < form.length; pieces++) {
    const from = Math.min(at, form.length - minPieceChars)
    let end = from + minPieceChars
    if (!bare.includes(form.slice(from, end))) return false
    while (end < form.length && bare.includes(form.slice(from, end + 1))) end++
    at = end
  }
  return at >= form.length
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

function base32Of(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join('')
}
