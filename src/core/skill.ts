// Skills: folders with a SKILL.md in the open Agent Skills format, as they are read, stored and offered.
import type { UserId } from './ids.ts'

export const skillFile = 'SKILL.md'
export const maxSkillFiles = 200
export const maxSkillBytes = 10 * 1024 * 1024
/** Skills that one user can store. */
export const maxSkills = 100

/** A file of a skill; `path` is relative to its folder, with slashes. */
export type SkillFile = { readonly path: string; readonly content: Uint8Array }

/** A folder as it was read from a disk or an archive. */
export type SkillFolder = { readonly name: string; readonly files: readonly SkillFile[] }

/** The head of a SKILL.md. */
export type SkillHead = {
  readonly name: string
  readonly description: string
  readonly license?: string
  readonly compatibility?: string
  readonly metadata?: Readonly<Record<string, string>>
  /** The tools that the skill names. Others need approval in the turn that loads it. */
  readonly allowedTools?: readonly string[]
}

/** Something to know about a skill. A fault keeps it out; a warning makes it untrusted until somebody has looked at it. */
export type SkillFinding = {
  readonly level: 'fault' | 'warning' | 'note'
  readonly file: string
  readonly line?: number
  readonly message: string
}

/** A skill that was loaded. `tools` are the only ones that run without approval in the turn that loads it. */
export type LoadedSkill = { readonly name: string; readonly tools?: readonly string[] }

/** The author of a skill: a person who added it, or the agent. */
export type SkillAuthor = 'user' | 'agent'

/** A stored file without its content. Nobody has looked at an untrusted one yet. */
export type StoredSkillFile = {
  readonly path: string
  readonly bytes: number
  readonly hash: string
  readonly untrusted: boolean
}

/** A skill as it is listed, without its files. */
export type StoredSkill = SkillHead & {
  readonly owner: UserId
  readonly author: SkillAuthor
  readonly findings: readonly SkillFinding[]
  /** One of its files was not reviewed yet. */
  readonly untrusted: boolean
  readonly updatedAt: number
}

export type WholeSkill = StoredSkill & { readonly files: readonly StoredSkillFile[] }

/** A skill to store: its files, and which of them nobody has looked at. */
export type NewSkill = Omit<StoredSkill, 'owner' | 'untrusted' | 'updatedAt'> & {
  readonly files: readonly (SkillFile & Pick<StoredSkillFile, 'hash' | 'untrusted'>)[]
}

/** The files to store, by those of the skill that they replace; undefined for a new skill. */
export type JudgeFiles = (before: readonly StoredSkillFile[] | undefined) => NewSkill['files']

/** Skills are addressed by their owner: the operator's are offered to every user. */
export interface SkillStore {
  /**
   * Stores a skill, or replaces the owner's skill of this name. `judgeFiles` decides in the same transaction, by the files
   * that are replaced, which of the new ones nobody has looked at; what it throws is thrown. Throws invalid_input,
   * storage_full, not_found.
   */
  put(owner: UserId, skill: NewSkill, judgeFiles?: JudgeFiles): Promise<void>
  /** All skills of an owner, by name. Their files are left out: there may be 20,000. */
  list(owner: UserId): Promise<readonly StoredSkill[]>
  get(owner: UserId, name: string): Promise<WholeSkill | undefined>
  /** The bytes of a file; with a hash only if they are still those. */
  content(owner: UserId, name: string, path: string, hash?: string): Promise<Uint8Array | undefined>
  /** Marks these files as looked at, unless their content has changed since. */
  trust(owner: UserId, name: string, files: readonly Pick<StoredSkillFile, 'path' | 'hash'>[]): Promise<void>
  remove(owner: UserId, name: string): Promise<boolean>
  /** The names of skills that a user has switched off for themselves. */
  off(user: UserId): Promise<readonly string[]>
  switch(user: UserId, name: string, on: boolean): Promise<void>
  /** Erases some of a user's skills and returns their number. The caller repeats it until none is left. */
  eraseSome(user: UserId): Promise<number>
}
