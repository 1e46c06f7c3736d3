// Finds skills by words in their names and descriptions, with the ranking of memory.
import type { StoredSkill } from '#core/skill.ts'
import { readQuery } from '#memory/query.ts'
import { idfOf, rank } from '#memory/rank.ts'
import { createReader } from '#memory/terms.ts'

const maxFound = 8

export function findSkills<T extends Pick<StoredSkill, 'name' | 'description' | 'updatedAt'>>(
  skills: readonly T[],
  query: string,
): readonly T[] {
  const reader = createReader()
  const terms = readQuery(reader, query)
  const found = skills.map(({ name, description, updatedAt }) => {
    return { path: name, at: 0, text: `${name.replaceAll('-', ' ')}. ${description}`, untrusted: false, updatedAt }
  })
  const words = found.reduce((sum, { text }) => sum + reader.read(text).body.length, 0)
  const averageTerms = Math.max(1, words / Math.max(1, found.length))
  const weighted = terms.map((term) => {
    const alone = rank(reader, found, [{ term, idf: 1 }], averageTerms).filter(({ score }) => score > 0)
    return { term, idf: idfOf(alone.length, found.length) }
  })
  return rank(reader, found, weighted, averageTerms)
    .filter(({ score }) => score > 0)
    .slice(0, maxFound)
    .flatMap(({ found: { path } }) => skills.find(({ name }) => name === path) ?? [])
}
