// The workspace as tools: each user's own folder of files. Reading is free; a change is asked for, and shown as a diff.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { byteLength, type JsonObject } from '#core/json.ts'
import type { CallQuestion, Reach } from '#core/question.ts'
import { reachInParams, type Tool, type ToolAbout, type ToolContext } from '#core/tool.ts'
import { readParams, schemaOf } from '#tools/params.ts'
import type { Work } from '#tools/worker.ts'
import { type Change as TextChange, changeQuestion } from './change-question.ts'
import { listFolder } from './list.ts'
import { namesOf } from './workspace-path.ts'
import type { Place } from './safe-open.ts'
import { linesOf, readText } from './read.ts'
import { writeWhole } from './write.ts'

export type WorkspaceParts = {
  /** The folder of a user's workspace. */
  readonly folderOf: (user: UserId) => string
  readonly work: Work
}

const defaultLines = 500
const maxLines = 5_000
const maxLineChars = 2_000
const maxReadChars = 100_000
const maxContentBytes = 1024 * 1024
const maxPatternChars = 1_000
const longText = 4 * 1024 * 1024

type Context = Pick<ToolContext, 'user' | 'signal' | 'markUntrusted'>

export function createWorkspaceTools({ folderOf, work }: WorkspaceParts): readonly Tool[] {
  const placeOf = (user: UserId, path = ''): Place => ({ root: folderOf(user), names: namesOf(path) })

  /** What a call would write, and what is there now. */
  async function written({ path, content }: Write, user: UserId): Promise<Change> {
    const place = placeOf(user, path)
    checkContent(content)
    return { place, before: await textOrNone(place), after: content }
  }

  async function edited({ path, find, replace, all = false }: Edit, user: UserId): Promise<Change & { count: number }> {
    const place = placeOf(user, path)
    const before = await readText(place)
    const { text, count } = replaced(before, { find, replace, all, path })
    checkContent(text)
    return { place, before, after: text, count }
  }

  return [
    reading('workspace_list', {
      may: 'List folders of the workspace',
      description: 'Lists a folder of the workspace: folders, files with their sizes, links.',
      properties: { path: text('A folder, relative to the workspace; without it the workspace itself.') },
      required: [],
      async run({ path }: { path?: string }, { user, markUntrusted }) {
        markUntrusted?.('names in the workspace')
        return await listFolder(placeOf(user, path))
      },
    }),
    reading('workspace_read', {
      may: 'Read text files of the workspace',
      description:
        'Reads a text file of the workspace, with the number of each line before it. Long files are read in parts by offset and limit.',
      properties: {
        path: text('The file, relative to the workspace.'),
        offset: { type: 'integer', minimum: 1, description: 'The first line wanted; 1 without it.' },
        limit: { type: 'integer', minimum: 1, maximum: maxLines, description: `How many; ${defaultLines} without it.` },
      },
      required: ['path'],
      async run(args: { path: string; offset?: number; limit?: number }, { user, markUntrusted }) {
        const place = placeOf(user, args.path)
        markUntrusted?.(`the file ${args.path}`)
        return numbered(linesOf(await readText(place)), args)
      },
    }),
    reading('workspace_search', {
      may: 'Search text files of the workspace',
      description:
        'Searches the text files of the workspace by a regular expression (JavaScript; (?i) at its start for any case), line by line. Returns matches with their line numbers and the lines around them.',
      properties: {
        pattern: { ...text('The regular expression.'), minLength: 1, maxLength: maxPatternChars },
        path: text('A folder to look in; without it all of the workspace.'),
        glob: { ...text('Which files, such as *.ts or src/**/*.md.'), minLength: 1, maxLength: maxPatternChars },
      },
      required: ['pattern'],
      async run(args: { pattern: string; path?: string; glob?: string }, { user, signal, markUntrusted }) {
        const { pattern, path, glob } = args
        markUntrusted?.('files of the workspace')
        return await work({ type: 'search', ...placeOf(user, path), pattern, ...(glob && { glob }) }, signal)
      },
    }),
    writing<Write>('workspace_write', {
      may: 'Write a file of the workspace, shown as a diff where it is asked for',
      description:
        'Writes a text file of the workspace, replacing what it held; folders are made as needed. Waits for approval. For a small change, workspace_edit is better.',
      properties: {
        path: text('The file, relative to the workspace.'),
        content: { ...text('The whole text, at most 1 MiB.'), maxLength: longText },
      },
      required: ['path', 'content'],
      repeatable: true,
      async ask(args, { user }) {
        return changeQuestion(args.path, await written(args, user))
      },
      async run(args, { user }) {
        const { place, after } = await written(args, user)
        const existed = await writeWhole(place, after)
        return `${existed ? 'replaced' : 'created'}: ${args.path} (${linesOf(after).length} lines, ${byteLength(after)} bytes)`
      },
    }),
    writing<Edit>('workspace_edit', {
      may: 'Change a file of the workspace, shown as a diff where it is asked for',
      description:
        'Replaces a text in a file of the workspace. The text must occur exactly once, or all is true. Waits for approval.',
      properties: {
        path: text('The file, relative to the workspace.'),
        find: {
          ...text('The text to replace, letter by letter as it stands in the file, without line numbers.'),
          minLength: 1,
          maxLength: longText,
        },
        replace: { ...text('What shall stand there instead.'), maxLength: longText },
        all: { type: 'boolean', description: 'Replaces every occurrence.' },
      },
      required: ['path', 'find', 'replace'],
      // What it left behind may hold the text again.
      repeatable: false,
      async ask(args, { user }) {
        return changeQuestion(args.path, await edited(args, user))
      },
      async run(args, { user }) {
        const { place, after, count } = await edited(args, user)
        await writeWhole(place, after)
        return `edited: ${args.path} (${count} ${count === 1 ? 'place' : 'places'})`
      },
    }),
  ]
}

type Write = { readonly path: string; readonly content: string }
type Edit = { readonly path: string; readonly find: string; readonly replace: string; readonly all?: boolean }
type Change = TextChange & { readonly place: Place }

const cannot = ['Leave the workspace folder, through a link either', 'Reach the network or memory']

type Making<Args> = {
  /** What a call may do, as the pages about tools say it. */
  readonly may: string
  readonly description: string
  readonly properties: JsonObject
  readonly required: readonly string[]
  readonly run: (args: Args, context: Context) => Promise<string>
}

function reading<Args>(name: string, { may, description, properties, required, run }: Making<Args>): Tool {
  const parameters = schemaOf(properties, required)
  return {
    spec: { name, description, parameters },
    effects: 'read',
    about: aboutOf('Look at files in the workspace folder', may),
    reach,
    repeatable: true,
    untrusted: true,
    run: async (args, context) => await run(readParams(parameters, args) as Args, context),
  }
}

type Changing<Args> = Making<Args> & {
  readonly repeatable: boolean
  readonly ask: (args: Args, context: Context) => Promise<CallQuestion>
}

function writing<Args>(name: string, { repeatable, ask, ...making }: Changing<Args>): Tool {
  const tool = reading(name, making)
  const { parameters } = tool.spec
  return {
    ...tool,
    effects: 'write',
    policy: 'workspace',
    about: aboutOf('Change files in the workspace folder', making.may),
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

function text(description: string): JsonObject {
  return { type: 'string', description }
}

function checkContent(content: string): void {
  if (!content.isWellFormed() || content.includes('\0')) {
    throw new AppError('invalid_input', 'the file would hold a NUL or half a character: it must be text')
  }
  const bytes = byteLength(content)
  if (bytes > maxContentBytes) {
    throw new AppError('too_large', `the file would have ${bytes} bytes, at most ${maxContentBytes} are written`)
  }
}

/** What is there; undefined where nothing is. */
async function textOrNone(place: Place): Promise<string | undefined> {
  try {
    return await readText(place)
  } catch (error) {
    if (error instanceof AppError && isMissing(error.cause)) return undefined
    throw error
  }
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
}

/** The text with `find` replaced. A file whose lines end as on Windows is searched that way too. */
function replaced(
  text: string,
  { find, replace, all, path }: { find: string; replace: string; all: boolean; path: string },
): { text: string; count: number } {
  const count = text.split(find).length - 1
  if (count === 0 && text.includes('\r\n') && find.includes('\n') && !find.includes('\r\n')) {
    const [theirs, ours] = [find, replace].map((each) => each.replaceAll(/\r?\n/g, '\r\n')) as [string, string]
    return replaced(text, { find: theirs, replace: ours, all, path })
  }
  if (count === 0) throw wrongFind(`does not occur in ${path}: read the file and copy the text as it stands`)
  if (count > 1 && !all) {
    throw wrongFind(`occurs ${count} times in ${path}: give more of the text around it, or set all to true`)
  }
  return { text: text.replaceAll(find, () => replace), count }
}

function wrongFind(problem: string): AppError {
  return new AppError('invalid_input', `find ${problem}`, { param: 'find' })
}

function numbered(
  lines: readonly string[],
  { offset = 1, limit = defaultLines }: { offset?: number; limit?: number },
): string {
  if (lines.length === 0) return '(the file is empty)'
  if (offset > lines.length)
    throw new AppError('invalid_input', `offset is beyond the end: there are ${lines.length} lines`)
  let size = 0
  let end = offset - 1
  const shown: string[] = []
  for (; end < Math.min(lines.length, offset - 1 + limit) && size < maxReadChars; end++) {
    const line = lines[end] ?? ''
    const cut = line.length > maxLineChars ? `${line.slice(0, maxLineChars).toWellFormed()}… [cut]` : line
    shown.push(`${String(end + 1).padStart(6)}\t${cut}`)
    size += cut.length
  }
  const more =
    end < lines.length ? [`[lines ${offset} to ${end} of ${lines.length}; go on with offset ${end + 1}]`] : []
  return [...shown, ...more].join('\n')
}
