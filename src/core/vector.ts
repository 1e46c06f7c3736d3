// The store of chunk vectors, for semantic search. Used only when an embedding model is configured.
import type { FoundChunk } from './document.ts'
import type { UserId } from './ids.ts'

/** A chunk without a vector of the model. */
export type PendingChunk = { readonly id: number; readonly path: string; readonly text: string }

/** The vector of a chunk; undefined when the model refuses its text. */
export type ChunkVector = { readonly chunk: PendingChunk; readonly vector: Float32Array | undefined }

export interface VectorStore {
  /** Enables vectors in the database; returns what is missing when it cannot. Call it before the other methods. */
  prepare(): Promise<string | undefined>
  /** Chunks without a vector of the model, by id. `through` is the last id checked; it equals `after` at the end. */
  pending(
    model: string,
    range: { after: number; limit: number },
  ): Promise<{ chunks: readonly PendingChunk[]; through: number }>
  /** The id to scan from after one complete scan: chunks written since have higher ids. */
  tail(model: string): Promise<number>
  /** Stores vectors, except for chunks that were removed or changed meanwhile. */
  save(model: string, vectors: readonly ChunkVector[]): Promise<void>
  /** The user's chunks most similar to the vector, nearest first. */
  nearest(user: UserId, query: { model: string; vector: Float32Array; limit: number }): Promise<readonly FoundChunk[]>
}
