// The workspace tools: each user's own folder of files. Reading needs no approval; a change does, and is shown as a diff.
import { AppError, wrongField } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { byteLength } from '#core/json.ts'
import type { CallQuestion, Reach } from '#core/question.ts'
import { reachInParams, type Tool, type ToolAbout, type ToolContext } from '#core/tool.ts'
import { checkedTool, type CheckedParts, readParams, textField } from '#core/tool-params.ts'
import { countWords } from '#core/words.ts'
import { positionsOf, replacedAt } from '#core/find-text.ts'
import { createOneAtATime } from '#lib/one-at-a-time.ts'
import { inPace } from '#lib/pace.ts'
import type { RunJob } from '#tools/worker.ts'
import { type Change as TextChange, changeQuestion } from './change-question.ts'
import { listFolder } from './list.ts'
import { namesOf } from './workspace-path.ts'
import type { Location } from './safe-open.ts'
import { type Lines, linesIn, readText } from './read.ts'
import { writeWhole } from './write.ts'

export type WorkspaceParts = {
  /** The folder of a user's workspace. */
  readonly folderOf: (user: UserId) => string
  /** The real path of the service's home. */
  readonly home: string
  readonly runJob: RunJob
}

const defaultLines = 500
const maxLines = 5_000
const maxLineChars = 2_000
const maxReadChars = 100_000
const maxContentBytes = 1024 * 1024
const maxPatternChars = 1_000
/** Schema limit for long parameters; the size in bytes is checked apart. */
const maxTextChars = 4 * 1024 * 1024

export function createWorkspaceTools({ folderOf, home, runJob }: WorkspaceParts): readonly Tool[] {
  const locationOf = (user: UserId, path = ''): Location => ({ root: folderOf(user), home, names: namesOf(path) })
  // Calls of one response run at once: a file that is read, changed and written must not change in between.
  const oneAtATime = createOneAtATime<UserId>()
  const writtenAt = (user: UserId, path: string): Location => ({ ...locationOf(user, path), noLinks: true })

  /** The file before and after a call of workspace_write. */
  async function changeByWrite({ path, content }: Write, user: UserId): Promise<Change> {
    const location = writtenAt(user, path)
    checkContent(content)
    return { location, before: await readIfExists(location), after: content }
  }

  async function changeByEdit(
    { path, find, replace, all = false }: Edit,
    user: UserId,
  ): Promise<Change & { count: number }> {
    const location = writtenAt(user, path)
    const before = await readText(location)
    checkEditable(before, path)
    const { text, count } = replaced(before, { find, replace, all, path })
    checkContent(text)
    return { location, before, after: text, count }
  }

  return [
    readTool('workspace_list', {
      may: 'List folders of the workspace',
      description: 'Lists a folder of the workspace: folders, files with their sizes, links.',
      fields: { path: textField('A folder, relative to the workspace; without it the workspace itself.') },
      required: [],
      async run({ path }: { path?: string }, { user, markUntrusted }) {
        markUntrusted?.('names in the workspace')
        return await listFolder(locationOf(user, path))
      },
    }),
    readTool('workspace_read', {
      may: 'Read text files of the workspace',
      description:
        'Reads a text file of the workspace, with the number of each line before it. Long files are read in parts by offset and limit.',
      fields: {
        path: textField('The file, relative to the workspace.'),
        offset: { type: 'integer', minimum: 1, description: 'The first line wanted; 1 without it.' },
        limit: { type: 'integer', minimum: 1, maximum: maxLines, description: `How many; ${defaultLines} without it.` },
      },
      required: ['path'],
      async run(args: { path: string; offset?: number; limit?: number }, { user, markUntrusted }) {
        const location = locationOf(user, args.path)
        markUntrusted?.(`the file ${args.path}`)
        const { offset = 1, limit = defaultLines } = args
        return numbered(await inPace(linesIn(await readText(location), offset, limit)), offset)
      },
    }),
    readTool('workspace_search', {
      may: 'Search text files of the workspace',
      description:
        'Searches the text files of the workspace by a regular expression (JavaScript; (?i) at its start for any case), line by line. Returns matches with their line numbers and the lines around them.',
      fields: {
        pattern: { ...textField('The regular expression.'), minLength: 1, maxLength: maxPatternChars },
        path: textField('A folder to look in; without it all of the workspace.'),
        glob: { ...textField('Which files, such as *.ts or src/**/*.md.'), minLength: 1, maxLength: maxPatternChars },
      },
      required: ['pattern'],
      async run(args: { pattern: string; path?: string; glob?: string }, { user, signal, markUntrusted }) {
        const { pattern, path, glob } = args
        markUntrusted?.('files of the workspace')
        return await runJob({ type: 'search', ...locationOf(user, path), pattern, ...(glob && { glob }) }, signal)
      },
    }),
    writeTool<Write>('workspace_write', {
      may: 'Write a file of the workspace; an approval shows the diff',
      description:
        'Writes a text file of the workspace, replacing what it held; folders are made as needed. Waits for approval. For a small change, workspace_edit is better.',
      fields: {
        path: textField('The file, relative to the workspace.'),
        content: { ...textField('The whole text, at most 1 MiB.'), maxLength: maxTextChars },
      },
      required: ['path', 'content'],
      repeatable: true,
      async ask(args, { user }) {
        return changeQuestion(args.path, await changeByWrite(args, user))
      },
      async run(args, { user }) {
        const { after, existed } = await oneAtATime(user, async () => {
          const change = await changeByWrite(args, user)
          return { ...change, existed: await writeWhole(change.location, change.after) }
        })
        const { total } = await inPace(linesIn(after, 1, 0))
        return `${existed ? 'replaced' : 'created'}: ${args.path} (${countWords(total, 'line')}, ${countWords(byteLength(after), 'byte')})`
      },
    }),
    writeTool<Edit>('workspace_edit', {
      may: 'Change a file of the workspace; an approval shows the diff',
      description:
        'Replaces a text in a file of the workspace. The text must occur exactly once, or all is true. Waits for approval.',
      fields: {
        path: textField('The file, relative to the workspace.'),
        find: {
          ...textField('The text to replace, letter by letter as it stands in the file, without line numbers.'),
          minLength: 1,
          maxLength: maxTextChars,
        },
        replace: { ...textField('The text that replaces it.'), maxLength: maxTextChars },
        all: { type: 'boolean', description: 'Replaces every occurrence.' },
      },
      required: ['path', 'find', 'replace'],
      // The edited file may contain `find` again, so a second run would change it twice.
      repeatable: false,
      async ask(args, { user }) {
        return changeQuestion(args.path, await changeByEdit(args, user))
      },
      async run(args, { user }) {
        const { count } = await oneAtATime(user, async () => {
          const change = await changeByEdit(args, user)
          await writeWhole(change.location, change.after)
          return change
        })
        return `edited: ${args.path} (${countWords(count, 'place')})`
      },
    }),
  ]
}

type Write = { readonly path: string; readonly content: string }
type Edit = { readonly path: string; readonly find: string; readonly replace: string; readonly all?: boolean }
type Change = TextChange & { readonly location: Location }

const cannot = ['Leave the workspace folder, through a link either', 'Reach the network or memory']

type ReadToolParts<Args> = CheckedParts<Args> & {
  /** The effect of a call, as the lists of tools show it. */
  readonly may: string
}

function readTool<Args>(name: string, { may, ...parts }: ReadToolParts<Args>): Tool {
  return {
    ...checkedTool(name, parts),
    effects: 'read',
    about: aboutOf('Look at files in the workspace folder', may),
    reach,
    repeatable: true,
    untrusted: true,
  }
}

type WriteToolParts<Args> = ReadToolParts<Args> & {
  readonly repeatable: boolean
  readonly ask: (args: Args, context: Pick<ToolContext, 'user'>) => Promise<CallQuestion>
}

function writeTool<Args>(name: string, { repeatable, ask, ...parts }: WriteToolParts<Args>): Tool {
  const tool = readTool(name, parts)
  const { parameters } = tool.spec
  return {
    ...tool,
    effects: 'write',
    policy: 'workspace',
    about: aboutOf('Change files in the workspace folder', parts.may),
    argsStayLocal: true,
    repeatable,
    untrusted: false,
    ask: async (args, context) => await ask(readParams(parameters, args) as Args, context),
  }
}

function aboutOf(brief: string, may: string): ToolAbout {
  return { brief, may: [may], cannot }
}

function reach(args: string): Reach | undefined {
  const found = reachInParams(args)
  return found?.type === 'path' ? { ...found, in: 'workspace' } : undefined
}

function checkContent(content: string): void {
  if (!content.isWellFormed() || content.includes('\0')) {
    throw new AppError(
      'invalid_input',
      'the file would have a NUL or half a character (a lone surrogate): it must be text',
    )
  }
  const bytes = byteLength(content)
  if (bytes > maxContentBytes) {
    throw new AppError('too_large', `the file would have ${bytes} bytes, but at most ${maxContentBytes} are allowed`)
  }
}

function checkEditable(text: string, path: string): void {
  if (byteLength(text) <= maxContentBytes) return
  throw new AppError('too_large', `${path} has more than ${maxContentBytes} bytes: a larger file cannot be edited`)
}

/** The text of a file; undefined if it does not exist. */
async function readIfExists(location: Location): Promise<string | undefined> {
  try {
    return await readText(location)
  } catch (error) {
    if (error instanceof AppError && isMissing(error.cause)) return undefined
    throw error
  }
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
}

/** Replaces `find` in a text. If the file has Windows line ends, `find` and `replace` are tried with those too. */
function replaced(
  text: string,
  { find, replace, all, path }: { find: string; replace: string; all: boolean; path: string },
): { text: string; count: number } {
  const found = positionsOf(text, find)
  const count = found.length
  if (count === 0 && text.includes('\r\n') && find.includes('\n') && !find.includes('\r\n')) {
    const [crlfFind, crlfReplace] = [find, replace].map((each) => each.replaceAll(/\r?\n/g, '\r\n')) as [string, string]
    return replaced(text, { find: crlfFind, replace: crlfReplace, all, path })
  }
  if (count === 0) throw wrongFind(`does not occur in ${path}: read the file and copy the text as it stands`)
  if (count > 1 && !all) {
    throw wrongFind(`occurs ${count} times in ${path}: give more of the text around it, or set all to true`)
  }
  return { text: replacedAt(text, found, find.length, replace), count }
}

function wrongFind(problem: string): AppError {
  return wrongField('find', problem)
}

/** The lines with their numbers, up to a size; `offset` is the number of the first one. */
function numbered({ lines, total }: Lines, offset: number): string {
  if (total === 0) return '(the file is empty)'
  if (offset > total)
    throw new AppError('invalid_input', `offset is beyond the end: the file has ${countWords(total, 'line')}`)
  let size = 0
  const shown: string[] = []
  for (const line of lines) {
    if (size >= maxReadChars) break
    const cut = line.length > maxLineChars ? `${line.slice(0, maxLineChars).toWellFormed()}… [cut]` : line
    shown.push(`${String(offset + shown.length).padStart(6)}\t${cut}`)
    size += cut.length
  }
  const end = offset + shown.length - 1
  const more = end < total ? [`[lines ${offset} to ${end} of ${total}; go on with offset ${end + 1}]`] : []
  return [...shown, ...more].join('\n')
}
