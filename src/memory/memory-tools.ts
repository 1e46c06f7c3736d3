// The memory tools of the agent. A change of memory concerns only its user and can be undone, so it needs no approval. A
// change of the identity files does; once approved it counts as the user's own text and is not marked untrusted.
import { AppError } from '#core/errors.ts'
import { isIdentity } from '#core/document.ts'
import { objectIn } from '#core/json.ts'
import type { Preview, Reach } from '#core/question.ts'
import { checkedTool, type CheckedParts, readParams, textField } from '#core/tool-params.ts'
import { reachInParams, type Tool } from '#core/tool.ts'
import type { UserId } from '#core/ids.ts'
import { countWords } from '#core/words.ts'
import { unifiedDiff } from '#lib/unified-diff.ts'
import { type Documents, edited, joined } from './documents.ts'

const defaultResults = 8
const maxResults = 25
const maxListed = 200

export function createMemoryTools(documents: Documents): readonly Tool[] {
  /** The current content of a document; undefined if it does not exist. */
  async function contentOf(user: UserId, path: string): Promise<string | undefined> {
    try {
      return (await documents.read(user, path)).content
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined
      throw error
    }
  }

  return [
    readTool<{ query: string; limit?: number }>('memory_search', {
      may: 'Find documents of your memory',
      description:
        'Searches what is remembered about the user and their work: notes and documents of earlier conversations. Use it before you say that you do not know something about the user. Any words; "quotes" for an exact phrase.',
      fields: { query: textField('What to look for.'), limit: { type: 'integer', minimum: 1, maximum: maxResults } },
      required: ['query'],
      async run({ query, limit = defaultResults }, { user, markUntrusted }) {
        const found = await documents.search(user, { query, limit })
        if (found.length === 0) return 'Nothing in memory matches.'
        if (found.some(({ untrusted }) => untrusted)) markUntrusted?.()
        return found.map(({ path, content }) => `## ${path}\n${content}`).join('\n\n')
      },
    }),
    readTool<{ path: string }>('memory_read', {
      may: 'Read a document of your memory',
      description: 'Reads a whole document of memory.',
      fields: { path: textField('Its path, such as notes/today.md.') },
      required: ['path'],
      async run({ path }, { user, markUntrusted }) {
        const { content, untrusted } = await documents.read(user, path)
        if (untrusted) markUntrusted?.()
        return content === '' ? '(the document is empty)' : content
      },
    }),
    readTool<{ folder?: string }>('memory_list', {
      may: 'List the documents of your memory',
      description: 'Lists the documents of memory, all of them or those of a folder.',
      fields: { folder: textField('A folder, such as notes; all documents without it.') },
      required: [],
      async run({ folder = '' }, { user, markUntrusted }) {
        const list = await documents.list(user, { folder, limit: maxListed + 1 })
        if (list.length === 0) return folder === '' ? 'Memory is empty.' : `There is nothing in ${folder}.`
        // The names of untrusted documents are untrusted text, too.
        if (list.some(({ untrusted }) => untrusted)) markUntrusted?.()
        const lines = list.slice(0, maxListed).map(({ path, bytes }) => `${path} (${countWords(bytes, 'byte')})`)
        return [...lines, ...(list.length > maxListed ? ['… and more: list a folder, or search.'] : [])].join('\n')
      },
    }),
    writeTool<{ path: string; content: string; append?: boolean }>('memory_write', {
      may: 'Write documents of your memory',
      act: 'Write',
      description:
        'Writes a document of memory: what should still be known in later conversations. It replaces the document, or adds to its end with append. AGENTS.md, SOUL.md, IDENTITY.md and USER.md say who you are and whom you serve: the user is asked before they change.',
      fields: {
        path: textField('Its path, such as notes/today.md.'),
        content: textField('The text, at most 1 MiB.'),
        append: { type: 'boolean', description: 'Adds to the end instead of replacing.' },
      },
      required: ['path', 'content'],
      async preview({ path, content, append }, user) {
        const before = await contentOf(user, path)
        return changeOf(path, before, append ? joined(before ?? '', content) : content)
      },
      async run({ path, content, append }, { user, threadId, tainted = false }) {
        const written = {
          path,
          content,
          author: 'agent' as const,
          threadId,
          untrusted: tainted && !isIdentity(path),
        }
        if (append) return `${await documents.append(user, written)}: ${path} (added at its end)`
        const [outcome] = await documents.write(user, [written])
        return `${outcome}: ${path}`
      },
    }),
    writeTool<{ path: string; find: string; replace: string }>('memory_edit', {
      may: 'Change documents of your memory',
      act: 'Write',
      description: 'Replaces a text in a document of memory. The text must occur in it exactly once.',
      fields: {
        path: textField('The path of the document.'),
        find: textField('The text to replace, exactly as it is in the document.'),
        replace: textField('The text that replaces it.'),
      },
      required: ['path', 'find', 'replace'],
      async preview({ path, find, replace }, user) {
        const { content } = await documents.read(user, path)
        return changeOf(path, content, edited(content, { path, find, replace }))
      },
      async run({ path, find, replace }, { user, threadId, tainted = false }) {
        const untrusted = tainted && !isIdentity(path)
        await documents.edit(user, { path, find, replace, author: 'agent', threadId, untrusted })
        return `edited: ${path}`
      },
    }),
    writeTool<{ path: string }>('memory_delete', {
      may: 'Delete documents of your memory',
      act: 'Delete',
      description: 'Deletes a document of memory.',
      fields: { path: textField('The path of the document.') },
      required: ['path'],
      async preview({ path }, user) {
        return changeOf(path, (await documents.read(user, path)).content, '')
      },
      async run({ path }, { user }) {
        await documents.remove(user, path)
        return `deleted: ${path}`
      },
    }),
  ]
}

const cannot = ['Read or change what other users keep', 'Reach the network or files']

type ReadToolParts<Args> = CheckedParts<Args> & {
  /** The effect of a call, as the lists of tools show it. */
  readonly may: string
}

function readTool<Args>(name: string, parts: ReadToolParts<Args>): Tool {
  const about = { brief: 'Find and read notes of earlier conversations', may: [parts.may], cannot }
  return { ...checkedTool(name, parts), about, effects: 'read', reach, repeatable: true, untrusted: false }
}

type WriteToolParts<Args> = ReadToolParts<Args> & {
  readonly act: 'Write' | 'Delete'
  /** Throws for a call that cannot be done. */
  readonly preview: (args: Args, user: UserId) => Promise<Preview>
}

/** Not repeatable: an interrupted write may have been done, and a second append or edit would change the document twice. */
function writeTool<Args extends { path: string }>(
  name: string,
  { act, preview, ...parts }: WriteToolParts<Args>,
): Tool {
  const onIdentity = (args: string): boolean => isIdentity(objectIn(args)?.['path'])
  const tool = checkedTool(name, parts)
  return {
    ...tool,
    about: { brief: 'Keep notes between conversations', may: [parts.may], cannot },
    effects: (args) => (onIdentity(args) ? 'write' : 'keep'),
    policy: { rows: ['memory', 'identity'], rowOf: (args) => (onIdentity(args) ? 'identity' : 'memory') },
    reach,
    repeatable: false,
    untrusted: false,
    async ask(args, { user }) {
      const params = readParams(tool.spec.parameters, args) as Args
      const question = {
        text: `${act} memory ${params.path}?`,
        brief: `${act} memory: ${params.path}`,
        sentence: 'The document is untouched until you answer.',
        pending: 'Nothing has happened yet.',
      }
      return { question, preview: await preview(params, user) }
    },
  }
}

/** The content of a new document, or the diff of an existing one. */
function changeOf(path: string, before: string | undefined, after: string): Preview {
  if (before === undefined) return { type: 'document', path, content: after }
  return { type: 'document', path, diff: unifiedDiff(path, before, after).text }
}

function reach(args: string): Reach | undefined {
  const found = reachInParams(args)
  return found?.type === 'path' ? { ...found, in: 'memory' } : undefined
}
