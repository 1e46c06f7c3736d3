// Finds the words of a search query in a text.

export type Piece = { readonly text: string; readonly found: boolean }

/** Endings that the search ignores: "migrating" finds "migrations". */
const stemmed = /^(.{4,}?)(ings?|ions?|ed|es|ly|s|e)$/i

/** Splits a text into pieces that match the query and pieces that do not. */
export function piecesOf(text: string, query: string): Piece[] {
  const pattern = patternOf(query)
  if (!pattern) return [{ text, found: false }]
  const pieces: Piece[] = []
  let at = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) pieces.push({ text: text.slice(at, match.index), found: false })
    pieces.push({ text: match[0], found: true })
    at = match.index + match[0].length
  }
  if (at < text.length) pieces.push({ text: text.slice(at), found: false })
  return pieces
}

/** The pattern of a query's words; undefined when it has none. */
export function patternOf(query: string): RegExp | undefined {
  const words = query.match(/[\p{L}\p{N}_]+/gu) ?? []
  if (words.length === 0) return undefined
  const stems = words.map((word) => {
    // Scripts without spaces between words match anywhere, others at the start of a word.
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u.test(word))
      return word
    const stem = stemmed.exec(word)?.[1] ?? word
    return `(?<![\\p{L}\\p{N}])${stem}[\\p{L}\\p{N}]*`
  })
  return new RegExp(stems.join('|'), 'giu')
}

/** Markdown as plain text on one line. */
export function plainText(text: string): string {
  return text
    .replaceAll(/^ {0,3}#{1,6}\s+(.*\p{L}|.*\p{N})[ #]*$/gmu, '$1.')
    .replaceAll(/^ {0,3}(?:#{1,6}|>|[-*+]|\d{1,9}[.)])\s+/gm, '')
    .replaceAll(/!?\[([^\]\n]*)\]\([^)\s]*\)/g, '$1')
    .replaceAll(/(\*\*|__|`)(\S(?:.*?\S)?)\1/g, '$2')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
