// Folders of skills, made by tests.
import type { SkillFolder } from '#core/skill.ts'

type Texts = Readonly<Record<string, string | Uint8Array>>

export function folderOf(name: string, files: Texts): SkillFolder {
  return {
    name,
    files: Object.entries(files).map(([path, content]) => ({
      path,
      content: typeof content === 'string' ? Buffer.from(content) : content,
    })),
  }
}

/** A folder with a valid SKILL.md, and files beside it. */
export function skillFolder(name: string, more: { head?: string; body?: string; files?: Texts } = {}): SkillFolder {
  const { head = '', body = `How to ${name}.`, files = {} } = more
  const text = `---\nname: ${name}\ndescription: Does ${name}.\n${head}---\n\n${body}\n`
  return folderOf(name, { 'SKILL.md': text, ...files })
}
