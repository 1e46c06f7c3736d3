// The text of a PDF, as a process of its own reads it.
import type { UserId } from './ids.ts'

/** How many pages the document has, and the texts of those that were read, from the first on. */
export type PdfText = { readonly title: string; readonly pages: number; readonly texts: readonly string[] }

/**
 * Reads a PDF, bounded in time and memory. Of one user it reads one at a time; further ones wait. Throws AppError with the
 * reason: `overloaded` when too many wait.
 */
export type ReadPdf = (bytes: Uint8Array, signal: AbortSignal, user?: UserId) => Promise<PdfText>

/** How much of a document a file part has. */
export type PagesRead = { readonly all: number; readonly read: number }

/** True for a file that says at its start that it is a PDF. */
export function isPdf(bytes: Uint8Array): boolean {
  return new TextDecoder('latin1').decode(bytes.subarray(0, 5)) === '%PDF-'
}
