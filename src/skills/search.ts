// Finds skills by words in their names and descriptions, with the ranking of memory.
import type { StoredSkill } from '#core/skill.ts'
import { findByWords } from '#memory/word-search.ts'

const maxFound = 8

export function findSkills<T extends Pick<StoredSkill, 'name' | 'description' | 'updatedAt'>>(
  skills: readonly T[],
  query: string,
): readonly T[] {
  const texts = skills.map(({ name, description, updatedAt }) => {
    return { name, text: `${name.replaceAll('-', ' ')}. ${description}`, updatedAt }
  })
  return findByWords(texts, query, maxFound).flatMap((found) => skills.find(({ name }) => name === found) ?? [])
}
