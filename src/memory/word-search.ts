// Finds short texts by words, with the ranking of memory: descriptions of skills and of tools.
import { readQuery } from './query.ts'
import { idfOf, rank } from './rank.ts'
import { createReader } from './terms.ts'

export type Searched = { readonly name: string; readonly text: string; readonly updatedAt: number }

/** The names of the best texts, best first. */
export function findByWords(texts: readonly Searched[], query: string, max: number): string[] {
  const reader = createReader()
  const terms = readQuery(reader, query)
  const found = texts.map(({ name, text, updatedAt }) => ({ path: name, at: 0, text, untrusted: false, updatedAt }))
  const words = found.reduce((sum, { text }) => sum + reader.read(text).body.length, 0)
  const averageTerms = Math.max(1, words / Math.max(1, found.length))
  const weighted = terms.map((term) => {
    const alone = rank(reader, found, [{ term, idf: 1 }], averageTerms).filter(({ score }) => score > 0)
    return { term, idf: idfOf(alone.length, found.length) }
  })
  return rank(reader, found, weighted, averageTerms)
    .filter(({ score }) => score > 0)
    .slice(0, max)
    .map(({ found: { path } }) => path)
}
