// Document search: the index returns a bounded number of candidates, which are ranked here.
import type { DocumentStore, FoundChunk } from '#core/document.ts'
import type { UserId } from '#core/ids.ts'
import { pace } from '#lib/pace.ts'
import { fuse } from './rank-fusion.ts'
import type { SemanticSearch } from './semantic-search.ts'
import { readQuery } from './query.ts'
import type { Ranked } from './rank.ts'
import { snippetOf } from './snippet.ts'
import type { Reader } from './terms.ts'
import { countTerms, rankByWords } from './word-index.ts'

/** Chunks to rank: at least `minCandidates`, and this many per requested document. */
const minCandidates = 30
const candidatesPerDocument = 2

export type SearchResult = {
  readonly path: string
  /** The part of the document with the match. */
  readonly content: string
  readonly score: number
  readonly untrusted: boolean
  readonly updatedAt: number
}

export type SearchParts = {
  readonly store: DocumentStore
  readonly reader: Reader
  /** Present when an embedding model is configured. */
  readonly semanticSearch?: SemanticSearch | undefined
}

/** The user's documents that match a query, best first. Any text is a valid query. */
export async function searchDocuments(
  { store, reader, semanticSearch }: SearchParts,
  user: UserId,
  { query, limit }: { query: string; limit: number },
): Promise<SearchResult[]> {
  const terms = readQuery(reader, query)
  if (terms.length === 0) return []
  const maxCandidates = Math.max(minCandidates, candidatesPerDocument * limit)
  // A required phrase is matched literally, so semantic search cannot help.
  const literal = terms.some(({ required }) => required)
  const findByIndex = async (): Promise<Ranked[]> => {
    const stats = await countTerms(store, user, terms)
    return stats ? rankByWords({ index: store, reader, user }, stats, maxCandidates) : []
  }
  const [byWords, near] = await Promise.all([
    findByIndex(),
    semanticSearch && !literal ? semanticSearch(user, query, maxCandidates) : [],
  ])
  const ranked = near.length === 0 ? byWords : fuseResults(byWords, near)
  const precision = near.length === 0 ? 1e3 : 1e6
  const results: SearchResult[] = []
  for (const { found, score, hits } of ranked.slice(0, limit)) {
    results.push({
      path: found.path,
      content: snippetOf({ found, hits }),
      score: Math.round(score * precision) / precision,
      untrusted: found.untrusted,
      updatedAt: found.updatedAt,
    })
    await pace()
  }
  return results
}

/** Both rankings as one. A document in both keeps the chunk found by words, so that its snippet shows them. */
function fuseResults(byWords: readonly Ranked[], near: readonly FoundChunk[]): Ranked[] {
  const byMeaning = new Map<string, Ranked>()
  for (const found of near) if (!byMeaning.has(found.path)) byMeaning.set(found.path, { found, score: 0, hits: [] })
  const known = new Map([...byMeaning, ...byWords.map((each) => [each.found.path, each] as const)])
  const fused = fuse([byWords.map(({ found }) => found.path), [...byMeaning.keys()]])
  return fused.flatMap(({ path, score }) => {
    const ranked = known.get(path)
    return ranked ? [{ ...ranked, score }] : []
  })
}
