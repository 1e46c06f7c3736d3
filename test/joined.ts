// Counts the pieces that collected bytes are held in, when they are joined.
import type { TestContext } from 'node:test'

export type Joins = {
  /** The most pieces of one join. */
  mostPieces(): number
  /** The most memory of the pieces of one join. */
  mostBytes(): number
}

export function watchJoins(t: Pick<TestContext, 'mock'>): Joins {
  const concat = t.mock.method(Buffer, 'concat')
  const most = (measure: (pieces: readonly Uint8Array[]) => number): number =>
    Math.max(0, ...concat.mock.calls.map(({ arguments: [pieces] }) => measure(pieces)))
  return {
    mostPieces: () => most((pieces) => pieces.length),
    mostBytes: () => most((pieces) => pieces.reduce((sum, piece) => sum + piece.buffer.byteLength, 0)),
  }
}
