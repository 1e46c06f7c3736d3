// Vectors of chunks: what memory needs of the store to find documents by what they mean. Only where a model is configured.
import type { Found } from './document.ts'
import type { UserId } from './ids.ts'

/** A chunk that has no vector of the model yet. */
export type Unmade = { readonly id: number; readonly path: string; readonly text: string }

/** The vector of a chunk; none for a text that the model does not take. */
export type Made = { readonly chunk: Unmade; readonly vector: Float32Array | undefined }

export interface VectorStore {
  /** Makes the database able to compare vectors; says what it lacks where it cannot. Before any of the others. */
  prepare(): Promise<string | undefined>
  /** Chunks without a vector of the model, by id, looked for above one and through another, which is the same at the end. */
  unmade(
    model: string,
    range: { after: number; limit: number },
  ): Promise<{ chunks: readonly Unmade[]; through: number }>
  /** Below it nothing can have been written since the vectors of the model were made. */
  tail(model: string): Promise<number>
  /** Keeps vectors, except of chunks that are not there any more or have another text by now. */
  save(model: string, made: readonly Made[]): Promise<void>
  /** The user's chunks that mean something like it, nearest first. */
  nearest(user: UserId, query: { model: string; vector: Float32Array; limit: number }): Promise<readonly Found[]>
}
