// What a text that goes out may carry in disguise: texts in base64 or hex, a secret of our own in other letters or pieces.

/** As much of a text is looked into; what has more is no call of a model's. */
const maxChars = 256 * 1024
/** Texts in texts in a text. */
const maxLevels = 2
/** Fewer letters and digits than this stand in a text by chance. */
const minSecretChars = 16
const minPieceChars = 8
const maxPieces = 4

const packed = /(?:[0-9a-f]{2}){16,}|[A-Za-z0-9+/_-]{24,}/gi

/** The text, and whatever stands in it in base64 or hex. Bytes that are no letters are blanks. */
export function* unpacked(text: string, levels = maxLevels): Generator<string> {
  yield text
  if (levels === 0) return
  for (const [run] of text.slice(0, maxChars).matchAll(packed)) {
    const inside = /^[0-9a-f]+$/i.test(run) ? [lettersIn(run, 'hex')] : []
    // What stands before it in the same run, as the path of an address does, moves its beginning.
    for (let from = 0; from < 4; from++) inside.push(lettersIn(run.slice(from), 'base64'))
    for (const each of inside) if (/[!-~]{12}/.test(each)) yield* unpacked(each, levels - 1)
  }
}

function lettersIn(run: string, encoding: 'hex' | 'base64'): string {
  // UTF-16, as some shells have it, is every other byte.
  const bytes = Buffer.from(run, encoding).toString('latin1')
  return (/^(?:[\x20-\x7e]\0){8}/.test(bytes) ? bytes.replaceAll('\0', '') : bytes).replaceAll(/[^\x20-\x7e]/g, ' ')
}

/** Whether a text has one of these values in some order of pieces, in any case, with anything between its letters. */
export function createPiecesOf(secrets: readonly string[]): (text: string) => boolean {
  let forms: readonly string[] | undefined
  return (text) => {
    forms ??= [...new Set(secrets.flatMap(formsOf))].filter((form) => form.length >= minSecretChars)
    const bare = forms.length > 0 ? bareOf(text.slice(0, maxChars)) : ''
    return forms.some((form) => bare.includes(form) || isCovered(form, bare))
  }
}

function formsOf(secret: string): string[] {
  const bare = bareOf(secret)
  if (bare.length < minSecretChars) return []
  const bytes = Buffer.from(secret)
  return [
    bare,
    bare.split('').toReversed().join(''),
    bytes.toString('hex'),
    base32Of(bytes),
    bareOf(bytes.toString('base64')),
  ]
}

/** Letters and digits alone, in lower case. */
function bareOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '')
}

/** True when a few long pieces of the form, one after the other, all stand somewhere in the text. */
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
