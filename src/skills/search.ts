// Finds skills by words in their names and descriptions, with the ranking of memory.
import type { StoredSkill } from '#core/skill.ts'
import { inPace } from '#lib/pace.ts'
import { searchByWords } from '#memory/word-search.ts'

const maxFound = 8

export async function findSkills<T extends Pick<StoredSkill, 'name' | 'description' | 'updatedAt'>>(
  skills: readonly T[],
  query: string,
): Promise<readonly T[]> {
  const texts = skills.map(({ name, description, updatedAt }) => {
    return { name, text: `${name.replaceAll('-', ' ')}. ${description}`, updatedAt }
  })
  const found = await inPace(searchByWords(texts, query, maxFound))
  return found.flatMap((each) => skills.find(({ name }) => name === each) ?? [])
}
