// The agent's tools for skills: find, load, read a file, and propose a new one.
import { AppError } from '#core/errors.ts'
import { type LoadedSkill, skillFile, type SkillFolder, type SkillHead } from '#core/skill.ts'
import { shellToolName } from '#core/tool-names.ts'
import { checkedTool, type CheckedParts, readParams, schemaOf, textField } from '#core/tool-params.ts'
import type { Tool, ToolContext } from '#core/tool.ts'
import { skillText } from './format.ts'
import { findSkills } from './search.ts'
import type { LoadedText, Skills } from './skills.ts'

export const loadToolName = 'skill_load'
/** Reading skills is always possible: one may point to its files, or to another skill. */
const ownTools = [loadToolName, 'skill_read', 'skill_search']
/** Short enough that the approval shows it whole. */
const maxBodyChars = 20_000
const maxReadChars = 100_000

/** Names of tools as skills for other agents write them. A pattern in parentheses, except (*), is not read: then it asks. */
const aliases: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    read: ['workspace_read'],
    write: ['workspace_write'],
    edit: ['workspace_edit'],
    multiedit: ['workspace_edit'],
    ls: ['workspace_list'],
    glob: ['workspace_list', 'workspace_search'],
    grep: ['workspace_search'],
    bash: [shellToolName],
    shell: [shellToolName],
    webfetch: ['web_fetch'],
  }),
)

/** The log's record of a loaded skill: its name, and the tools that it narrows its turn to. */
export function loadedOf({ name, allowedTools }: Pick<SkillHead, 'name' | 'allowedTools'>): LoadedSkill {
  if (!allowedTools) return { name }
  const names = allowedTools.map((tool) => tool.replace(/\(\*\)$/, ''))
  const tools = names.flatMap((tool) => [tool, ...(aliases.get(tool.toLowerCase()) ?? [])])
  return { name, tools: [...new Set([...ownTools, ...tools])] }
}

/** `reading` is for an agent that has skills; `creating` for every agent. */
export type SkillTools = { readonly reading: readonly Tool[]; readonly creating: Tool }

export function createSkillTools(skills: Skills): SkillTools {
  const given = ({ text, origin }: LoadedText, { markUntrusted }: ToolContext): string => {
    if (origin !== undefined) markUntrusted?.(origin)
    return text
  }
  const load = readTool<{ name: string }>(loadToolName, {
    description: 'Loads a skill: instructions for a task. Load it before the task begins, and follow it.',
    may: 'Load the instructions of a skill',
    fields: { name: textField('The name of the skill.') },
    required: ['name'],
    async run({ name }, context) {
      const loaded = await skills.load(context.user, name)
      context.loadSkill?.(loadedOf(loaded.skill))
      return given(loaded, context)
    },
  })
  const read = readTool<{ name: string; path: string; offset?: number }>('skill_read', {
    description:
      'Reads a file of a skill, such as references/forms.md. Scripts are files to read. Long files are read in parts by offset.',
    may: 'Read the files of a skill',
    fields: {
      name: textField('The name of the skill.'),
      path: textField('The path of the file within the skill.'),
      offset: { type: 'integer', minimum: 1, description: 'The first character wanted; 1 without it.' },
    },
    required: ['name', 'path'],
    run: async ({ name, path, offset }, context) =>
      partFrom(given(await skills.read(context.user, name, path), context), offset),
  })
  const search = readTool<{ query: string }>('skill_search', {
    description: 'Finds skills, instructions for tasks, by words of their names and descriptions.',
    may: 'Find skills',
    fields: { query: textField('What the task is about.') },
    required: ['query'],
    async run({ query }, { user, markUntrusted }) {
      const found = await findSkills(await skills.enabled(user), query)
      if (found.length === 0) return 'No skill matches.'
      if (found.some(({ untrusted }) => untrusted)) markUntrusted?.('a skill that nobody has reviewed')
      return found.map(({ name, description }) => `- ${name}: ${description}`).join('\n')
    },
  })
  return { reading: [load, read, search], creating: createTool(skills) }
}

/** The part of a text from a character on, and how to go on. No letter is cut in two. */
function partFrom(whole: string, offset = 1): string {
  if (offset > whole.length) {
    throw new AppError('invalid_input', `offset is beyond the end: the file has ${whole.length} characters`)
  }
  const start = offset - 1
  const cut = start + maxReadChars
  const end = /[\ud800-\udbff]/.test(whole.charAt(cut - 1)) ? cut - 1 : cut
  const part = whole.slice(start, end).toWellFormed()
  if (end >= whole.length) return part
  return `${part}\n[characters ${offset} to ${end} of ${whole.length}; go on with offset ${end + 1}]`
}

type NewText = { readonly name: string; readonly description: string; readonly body: string }

function createTool(skills: Skills): Tool {
  const parameters = schemaOf(
    {
      name: textField('1 to 64 of a-z, 0-9 and single hyphens.'),
      description: { ...textField('What the skill is for and when to use it.'), maxLength: 1_024 },
      body: { ...textField('The instructions, in Markdown.'), maxLength: maxBodyChars },
    },
    ['name', 'description', 'body'],
  )
  /** Throws for a skill that could not be added. */
  const folderOf = async (args: string, user: ToolContext['user']): Promise<{ folder: SkillFolder; text: string }> => {
    const { name, description, body } = readParams(parameters, args) as NewText
    const written = skillText({ name, description }, body)
    const folder = { name, files: [{ path: skillFile, content: Buffer.from(written) }] }
    const faults = (await skills.check(folder)).filter(({ level }) => level === 'fault')
    if (faults[0]) throw new AppError('invalid_input', faults[0].message)
    if (await skills.has(user, name)) {
      throw new AppError('invalid_input', `the skill ${name} is there already: choose another name`)
    }
    return { folder, text: written }
  }
  return {
    spec: {
      name: 'skill_create',
      description:
        'Proposes a new skill: instructions for a task that comes again. The user sees it whole and decides. Use it only when the user wants to keep how something is done.',
      parameters,
    },
    about: {
      brief: 'Propose skills',
      may: ['Propose a skill; you see all of it before it is stored'],
      cannot: ['Change or remove skills', 'Store one without asking'],
    },
    effects: 'write',
    asksEachTime: true,
    repeatable: false,
    untrusted: false,
    argsStayLocal: true,
    reach: () => undefined,
    async ask(args, { user }) {
      const { folder, text: content } = await folderOf(args, user)
      const pending = 'Nothing is stored until you answer.'
      const does = 'The agent wrote it. It stays untrusted until you review it.'
      const question = {
        text: `Add the skill ${folder.name}?`,
        code: folder.name,
        brief: `Add the skill ${folder.name}`,
        sentence: `${does} ${pending}`,
        does,
        pending,
      }
      return { question, preview: { type: 'document', path: `${folder.name}/${skillFile}`, content } }
    },
    async run(args, { user }) {
      const { folder } = await folderOf(args, user)
      await skills.add(user, folder, { author: 'agent' })
      return `added the skill ${folder.name}; it is untrusted until the user has reviewed it`
    },
  }
}

type ReadToolParts<Args> = CheckedParts<Args> & {
  /** The effect of a call, as the lists of tools show it. */
  readonly may: string
}

function readTool<Args>(name: string, { may, ...parts }: ReadToolParts<Args>): Tool {
  return {
    ...checkedTool(name, parts),
    about: { brief: 'Use skills', may: [may], cannot: ['Run the scripts of a skill', "Read other users' skills"] },
    effects: 'read',
    repeatable: true,
    untrusted: false,
    reach: () => undefined,
  }
}
