// A text that grows by many small pieces, in about the memory of its letters. V8 would keep each piece for itself: some 60
// bytes for one of five letters, in a list as in a text that `+=` makes.

/** Pieces that wait to be joined: few enough to take little, enough that a text of megabytes has few parts. */
const maxPieces = 256
/** Longer ones, on average, are kept as they are: each takes little more than its letters, and others hold it too. */
const maxJoinedChars = 64

export class GrowingText {
  length = 0
  #joined: string[] = []
  #pieces: string[] = []
  #pieceChars = 0

  add(piece: string): void {
    this.length += piece.length
    this.#pieceChars += piece.length
    if (this.#pieces.push(piece) < maxPieces) return
    if (this.#pieceChars > maxPieces * maxJoinedChars) this.#joined.push(...this.#pieces)
    else this.#joined.push(this.#pieces.join(''))
    this.#pieces = []
    this.#pieceChars = 0
  }

  /** The whole text, joined: V8 writes JSON of a text that `+=` has made several times slower. */
  toString(): string {
    const text = [...this.#joined, ...this.#pieces].join('')
    this.#joined = [text]
    this.#pieces = []
    this.#pieceChars = 0
    return text
  }
}
