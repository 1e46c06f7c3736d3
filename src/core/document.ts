// Documents of memory, by path, and the store with its search index.
import type { UserId } from './ids.ts'

/** The last author of a document: its user, a door on a user's behalf, or the agent. */
export type Author = 'user' | 'door' | 'agent'

export type DocumentInfo = {
  readonly path: string
  readonly bytes: number
  readonly author: Author
  /** The thread in which the agent wrote it; it may be deleted by now. */
  readonly threadId?: string
  /** It includes outside text: the agent reads it as data. */
  readonly untrusted: boolean
  /** Grows with every write. */
  readonly revision: number
  readonly createdAt: number
  readonly updatedAt: number
  /** The start of its text, in lists that ask for it. */
  readonly beginning?: string
}
export type Document = DocumentInfo & { readonly content: string }

/** Earlier versions that are kept of a document. */
export const maxVersions = 20

/** An earlier version of a document, which a write replaced. */
export type DocumentVersion = Pick<DocumentInfo, 'revision' | 'author' | 'untrusted' | 'bytes'> & {
  readonly writtenAt: number
}

/** The index terms of a chunk. `body` has the terms of its words in order, so that phrases can be found. */
export type ChunkTerms = {
  readonly title: readonly string[]
  readonly body: readonly string[]
  readonly extra: readonly string[]
}

/** A piece of a document. Its first `lap` characters repeat the piece before; without laps the pieces are the text. */
export type Chunk = { readonly text: string; readonly lap: number; readonly terms: ChunkTerms }

export type NewDocument = {
  readonly path: string
  readonly bytes: number
  readonly author: Author
  readonly threadId?: string
  readonly untrusted: boolean
  readonly chunks: readonly Chunk[]
  /** The revision that this replaces; 0 when the document must not exist yet. Absent: replaces any revision. */
  readonly expects?: number
}

/** `changed`: the revision is not the expected one, and nothing was written. */
export type PutOutcome = 'created' | 'replaced' | 'changed'

/** An index query. Terms have letters, marks, digits, emoji and `~` only. */
export type Match =
  | { readonly term: string }
  | { readonly prefix: string }
  | { readonly phrase: readonly string[] }
  | { readonly any: readonly Match[] }
  | { readonly all: readonly Match[] }

/** A chunk that matched. */
export type FoundChunk = {
  readonly path: string
  /** The index of the chunk in the document, from 0. */
  readonly at: number
  readonly text: string
  readonly untrusted: boolean
  readonly updatedAt: number
}

export type MatchCounts = {
  /** Totals of the user. */
  readonly chunks: number
  readonly terms: number
  /** The number of chunks for each match, counted up to a maximum. */
  readonly counts: readonly number[]
}

export type Candidates = {
  readonly match: Match
  /** Matched chunks are sorted roughly by the sum of the weights of the matches in them. */
  readonly weights: readonly { readonly match: Match; readonly weight: number }[]
  /** Only this many of the newest matches are considered. */
  readonly depth: number
  readonly limit: number
  /** Looks at titles alone. */
  readonly only?: 'title'
}

/** An index that is searched by words, and its totals for a user. */
export interface WordIndex<Found extends FoundChunk = FoundChunk> {
  /** Counts matches among the user's chunks, each up to `maxCount`; undefined when the user has no chunks. */
  count(user: UserId, matches: readonly Match[], maxCount: number): Promise<MatchCounts | undefined>
  /** The best candidates of a match, best first. */
  find(user: UserId, candidates: Candidates): Promise<readonly Found[]>
}

export type DocumentsQuery = {
  readonly prefix: string
  readonly after: string
  readonly limit: number
  /** Include the start of each text. */
  readonly beginnings?: boolean
}

export interface DocumentStore extends WordIndex {
  /** Writes documents in one transaction. Throws invalid_input when a path is a folder, too_large, storage_full. */
  put(user: UserId, documents: readonly NewDocument[]): Promise<readonly PutOutcome[]>
  get(user: UserId, path: string): Promise<Document | undefined>
  /** Documents whose path starts with `prefix`, ordered by path, after the path `after`. */
  list(user: UserId, query: DocumentsQuery): Promise<readonly DocumentInfo[]>
  /** Earlier versions of a document, latest first. */
  versions(user: UserId, path: string): Promise<readonly DocumentVersion[]>
  version(
    user: UserId,
    path: string,
    revision: number,
  ): Promise<(DocumentVersion & { readonly content: string }) | undefined>
  /** Erases the document with its earlier versions. */
  remove(user: UserId, path: string): Promise<boolean>
  /** Erases a bounded number of the user's documents; returns how many, 0 when none are left. */
  eraseSome(user: UserId): Promise<number>
}

/** Quota of one user. */
export const maxDocuments = 250_000
export const maxDocumentBytes = 2 * 1024 ** 3

/** Longest query of a search. A search of memory truncates a longer one; that of threads refuses it. */
export const maxQueryChars = 1_000

/** The identity documents at the root of memory, in the order of the system prompt. */
export const identityPaths: readonly string[] = ['AGENTS.md', 'SOUL.md', 'IDENTITY.md', 'USER.md']

/** No document has so long a path. To normalize accents takes the square of their number. */
const maxReadChars = 1_000

/**
 * True for the path of an identity document, and for anything that could be mistaken for one: other case, invisible
 * characters, `./` in front. Also true for a value that is not a string, and for a text that is too long for any path.
 */
export function isIdentity(path: unknown): boolean {
  if (typeof path !== 'string' || path.length > maxReadChars) return true
  const name = path
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{Cc}]/gu, '')
    .trim()
    .replace(/^(?:\.?[/\\]+)+/, '')
    .toLowerCase()
  return identityPaths.some((each) => name.startsWith(each.toLowerCase()) && /^[/\\. ]*$/.test(name.slice(each.length)))
}
