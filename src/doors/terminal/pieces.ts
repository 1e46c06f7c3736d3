// A text in pieces of a width, cut wherever they end: for what must not be broken at blanks.
import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui'

/** The first piece may have another width than the others. The text has no styles. */
export function piecesOf(text: string, width: number, firstWidth = width): string[] {
  const pieces: string[] = []
  let rest = text
  for (let room = firstWidth; visibleWidth(rest) > room && room > 0; room = width) {
    // A wide letter in one column would never fit: it is taken as it is.
    const piece = truncateToWidth(rest, room, '').replaceAll('\u001b[0m', '') || Array.from(rest)[0] || rest
    pieces.push(piece)
    rest = rest.slice(piece.length)
  }
  return [...pieces, rest]
}
