// Documents: what a user and the agent keep by path, and what the store needs to find them again.
import type { UserId } from './ids.ts'

/** Who wrote a document last: its user, a door on somebody's behalf, or the agent. */
export type Author = 'user' | 'door' | 'agent'

export type DocumentInfo = {
  readonly path: string
  readonly bytes: number
  readonly author: Author
  /** Where the agent wrote it; the thread may be gone. */
  readonly threadId?: string
  /** It holds words from outside: the agent reads it as data. */
  readonly untrusted: boolean
  /** Grows with every write. */
  readonly revision: number
  readonly createdAt: number
  readonly updatedAt: number
  /** How its text begins, where a list was asked for it. */
  readonly beginning?: string
}
export type Document = DocumentInfo & { readonly content: string }

/** What a chunk is found by. `body` is one term a word, in order, so that phrases can be found. */
export type ChunkTerms = {
  readonly title: readonly string[]
  readonly body: readonly string[]
  readonly extra: readonly string[]
}

/** A piece of a document. It begins with `lap` characters of the piece before; without them the pieces are the content. */
export type Chunk = { readonly text: string; readonly lap: number; readonly terms: ChunkTerms }

export type NewDocument = {
  readonly path: string
  readonly bytes: number
  readonly author: Author
  readonly threadId?: string
  readonly untrusted: boolean
  readonly chunks: readonly Chunk[]
  /** The revision this is a change of, 0 for a document that must not be there yet; whatever there is, where absent. */
  readonly expects?: number
}

/** `changed`: there is another revision than the expected one, and nothing was written. */
export type Put = 'created' | 'replaced' | 'changed'

/** What is looked for in the index. Terms hold letters, digits and `~` only. */
export type Match =
  | { readonly term: string }
  | { readonly prefix: string }
  | { readonly phrase: readonly string[] }
  | { readonly any: readonly Match[] }
  | { readonly all: readonly Match[] }

/** A chunk that matched. */
export type Found = {
  readonly path: string
  /** Its place in the document, from 0. */
  readonly at: number
  readonly text: string
  readonly untrusted: boolean
  readonly updatedAt: number
}

export type Counted = {
  /** How much the user has. */
  readonly chunks: number
  readonly terms: number
  /** How many of its chunks each match is in; none is counted further than asked for. */
  readonly counts: readonly number[]
}

export type Candidates = {
  readonly match: Match
  /** What the matched chunks are ordered by, roughly: the weight of each match that is in them. */
  readonly weights: readonly { readonly match: Match; readonly weight: number }[]
  /** The newest so many are looked at. */
  readonly depth: number
  readonly limit: number
}

export type DocumentsQuery = {
  readonly prefix: string
  readonly after: string
  readonly limit: number
  /** With how the text of each begins. */
  readonly beginnings?: boolean
}

export interface DocumentStore {
  /** Writes documents in one transaction. Throws invalid_input where a path is a folder, too_large beyond the user's share. */
  put(user: UserId, documents: readonly NewDocument[]): Promise<readonly Put[]>
  get(user: UserId, path: string): Promise<Document | undefined>
  /** Documents whose path begins so, in order of path, after one. */
  list(user: UserId, query: DocumentsQuery): Promise<readonly DocumentInfo[]>
  remove(user: UserId, path: string): Promise<boolean>
  /** Erases a bounded part of what a user keeps; how many documents that were, 0 once nothing is left of them. */
  eraseSome(user: UserId): Promise<number>
  /** Counts matches among the user's chunks; undefined when it has none. */
  count(user: UserId, matches: readonly Match[], most: number): Promise<Counted | undefined>
  /** The likeliest chunks of a match, best first. */
  find(user: UserId, candidates: Candidates): Promise<readonly Found[]>
}

/** What one user may keep. */
export const maxDocuments = 250_000
export const maxDocumentBytes = 2 * 1024 ** 3

/** The documents at the root that say who the agent is, in the order of the system prompt. */
export const identityPaths: readonly string[] = ['AGENTS.md', 'SOUL.md', 'IDENTITY.md', 'USER.md']

/**
 * True for a path of one of them. Whatever a person or a store could take for one counts too: other case, letters that
 * nobody sees, a way round. So does what is no path at all.
 */
export function isIdentity(path: unknown): boolean {
  if (typeof path !== 'string') return true
  const name = path
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{Cc}]/gu, '')
    .trim()
    .replace(/^(?:\.?[/\\]+)+/, '')
    .toLowerCase()
  return identityPaths.some((each) => name.startsWith(each.toLowerCase()) && /^[/\\. ]*$/.test(name.slice(each.length)))
}
