// Completion of `/name` at the start of a message. Pure.
import type { Skill } from '#doors/web/wire/skill.ts'

const maxShown = 6

/** The skills that a draft may be about to name; none once the name is followed by anything. */
export function completionsOf(draft: string, skills: readonly Skill[]): readonly Skill[] {
  const typed = /^\/([a-z0-9-]*)$/.exec(draft)?.[1]
  if (typed === undefined) return []
  return skills.filter(({ name, enabled }) => enabled && name.startsWith(typed)).slice(0, maxShown)
}

/** The draft with the whole name, ready for the words after it. */
export function completed({ name }: Pick<Skill, 'name'>): string {
  return `/${name} `
}
