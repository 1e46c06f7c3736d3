// Wire format of skills: in a list, and whole with files and findings.
import * as z from 'zod/mini'

export const SkillWire = z.object({
  name: z.string(),
  description: z.string(),
  /** Whose it is: the caller's own, or the operator's, which everybody has. */
  from: z.enum(['you', 'operator']),
  /** The author: a person added it, or the agent proposed it. */
  author: z.enum(['user', 'agent']),
  /** On for this caller. */
  enabled: z.boolean(),
  /** It, or its last change, was not reviewed: the agent reads it as text from outside. */
  untrusted: z.boolean(),
  /** The number of warnings of its check. */
  warnings: z.number(),
  license: z.exactOptional(z.string()),
  compatibility: z.exactOptional(z.string()),
  metadata: z.exactOptional(z.record(z.string(), z.string())),
  allowed_tools: z.exactOptional(z.array(z.string())),
  updated_at: z.string(),
})

const FindingWire = z.object({
  level: z.enum(['fault', 'warning', 'note']),
  file: z.string(),
  line: z.exactOptional(z.number()),
  message: z.string(),
})

const FileWire = z.object({
  path: z.string(),
  bytes: z.number(),
  hash: z.string(),
  untrusted: z.boolean(),
  /** The text, of text files and up to a limit for all of them. */
  text: z.exactOptional(z.string()),
  /** It is a text beyond that limit. */
  too_long: z.exactOptional(z.literal(true)),
})

export const SkillDetail = z.extend(SkillWire, { files: z.array(FileWire), findings: z.array(FindingWire) })
export const SkillsAnswer = z.object({ skills: z.array(SkillWire) })

export type Skill = z.output<typeof SkillWire>
export type WholeSkill = z.output<typeof SkillDetail>
export type SkillList = z.output<typeof SkillsAnswer>
