// The tools for skills as a source. An agent without skills has only the tool that proposes one.
import { operator } from '#core/ids.ts'
import type { Skills } from '#skills/skills.ts'
import { createSkillTools } from '#skills/tools.ts'
import { type BuiltInSource, createBuiltInSource } from './built-in-source.ts'

export function openSkillTools(skills: Skills): BuiltInSource {
  const { reading, creating } = createSkillTools(skills)
  const all = [...reading, creating]
  const few = [creating]
  return {
    ...createBuiltInSource(all),
    // The skills of a user are read before each turn.
    tools: (user) => (skills.known(user).length > 0 ? all : few),
    async reload() {
      skills.forget()
      await skills.enabled(operator)
    },
  }
}
