// Cuts text into pieces of a given width at any character, for text that must not be wrapped at spaces.
import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui'

/** The first piece may have a different width. The text must not contain ANSI styles. */
export function piecesOf(text: string, width: number, firstWidth = width): string[] {
  const pieces: string[] = []
  let rest = text
  for (let room = firstWidth; visibleWidth(rest) > room && room > 0; room = width) {
    // A wide character never fits into one column, so it is taken anyway.
    const piece = truncateToWidth(rest, room, '').replaceAll('\u001b[0m', '') || Array.from(rest)[0] || rest
    pieces.push(piece)
    rest = rest.slice(piece.length)
  }
  return [...pieces, rest]
}
