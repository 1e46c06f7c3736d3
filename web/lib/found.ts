// Where the words of a search stand in a text.

export type Piece = { readonly text: string; readonly found: boolean }

/** Endings that the search looks past: "migrating" finds "migrations". */
const stemmed = /^(.{4,}?)(ings?|ions?|ed|es|ly|s|e)$/i

/** The text in pieces, those that a search found marked. */
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

/** What the words of a query look like in a text; undefined when it has none. */
export function patternOf(query: string): RegExp | undefined {
  const words = query.match(/[\p{L}\p{N}_]+/gu) ?? []
  if (words.length === 0) return undefined
  const stems = words.map((word) => {
    // Scripts without blanks between words are found anywhere, others at the beginning of a word.
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u.test(word))
      return word
    const stem = stemmed.exec(word)?.[1] ?? word
    return `(?<![\\p{L}\\p{N}])${stem}[\\p{L}\\p{N}]*`
  })
  return new RegExp(stems.join('|'), 'giu')
}

/** The words of a part of a Markdown text, on one line, without the signs that shape it. */
export function plainText(text: string): string {
  return text
    .replaceAll(/^ {0,3}#{1,6}\s+(.*\p{L}|.*\p{N})[ #]*$/gmu, '$1.')
    .replaceAll(/^ {0,3}(?:#{1,6}|>|[-*+]|\d{1,9}[.)])\s+/gm, '')
    .replaceAll(/!?\[([^\]\n]*)\]\([^)\s]*\)/g, '$1')
    .replaceAll(/(\*\*|__|`)(\S(?:.*?\S)?)\1/g, '$2')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
