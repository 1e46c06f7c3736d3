// Finds short texts by words, with the ranking of memory: descriptions of skills and of tools.
import { readQuery } from './query.ts'
import { idfOf, rank, type Ranked, type WeightedTerm } from './rank.ts'
import { createReader, type Reading } from './terms.ts'

export type Searched = { readonly name: string; readonly text: string; readonly updatedAt: number }

/** The names of the best texts, best first, in slices. Names are unique. */
export function* searchByWords(texts: readonly Searched[], query: string, max: number): Generator<void, string[]> {
  const plain = createReader()
  // Each text is read once, though every term is looked for in it.
  const readings = new Map<string, Reading>()
  const read = (text: string): Reading => {
    const reading = readings.get(text) ?? plain.read(text)
    readings.set(text, reading)
    return reading
  }
  const reader = { ...plain, read }
  const terms = readQuery(reader, query)
  const found = texts.map(({ name, text, updatedAt }) => ({ path: name, at: 0, text, untrusted: false, updatedAt }))
  let words = 0
  for (const { text } of found) {
    words += read(text).body.length
    yield
  }
  const averageTerms = Math.max(1, words / Math.max(1, found.length))
  const weighted: WeightedTerm[] = []
  for (const term of terms) {
    let uses = 0
    for (const each of found) {
      const [ranked] = rank(reader, [each], [{ term, idf: 1 }], averageTerms)
      if (ranked && ranked.score > 0) uses++
      yield
    }
    weighted.push({ term, idf: idfOf(uses, found.length) })
  }
  const ranked: Ranked[] = []
  for (const each of found) {
    ranked.push(...rank(reader, [each], weighted, averageTerms).filter(({ score }) => score > 0))
    yield
  }
  return ranked
    .sort((one, two) => two.score - one.score || two.found.updatedAt - one.found.updatedAt)
    .slice(0, max)
    .map(({ found: { path } }) => path)
}
