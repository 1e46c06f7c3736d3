// All sources of built-in tools. What the model is told of them is text of this program: the policy trusts it.
import { createMissionTools } from '#missions/tools.ts'
import type { Skills } from '#skills/skills.ts'
import {
  type BuiltInSource,
  type BuiltInSourceParts,
  createBuiltInSource,
  openBuiltInTools,
} from './built-in-source.ts'
import { openSkillTools } from './skill-source.ts'

export type BuiltInSourcesParts = BuiltInSourceParts & {
  readonly skills: Skills
  readonly missions: Parameters<typeof createMissionTools>[0]
}

export function openBuiltInSources({ skills, missions, ...parts }: BuiltInSourcesParts): BuiltInSource[] {
  return [openBuiltInTools(parts), openSkillTools(skills), createBuiltInSource(createMissionTools(missions))]
}
