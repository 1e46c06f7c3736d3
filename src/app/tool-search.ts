// `tool_search`: finds tools whose descriptions are too many for the prompt, and adds them to the thread.
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { readParams, schemaOf } from '#core/tool-params.ts'
import type { Tool, ToolSpec } from '#core/tool.ts'
import { inPace } from '#lib/pace.ts'

const maxFound = 8
const maxTextChars = 2_000

/** `hidden` are the tools of a user that may be out of the prompt. */
export function createToolSearch(hidden: (user: UserId) => readonly ToolSpec[]): Tool {
  const query = { type: 'string', description: 'What the tool should do, in a few words.', maxLength: 1_000 }
  const parameters = schemaOf({ query }, ['query'])
  return {
    spec: {
      name: 'tool_search',
      description:
        'Finds more tools by words of their names and descriptions, and makes them available from the next step on. Use it when no tool at hand fits.',
      parameters,
    },
    about: { brief: 'Find tools', may: ['Find tools of MCP servers'], cannot: ['Call them'] },
    effects: 'read',
    repeatable: true,
    untrusted: false,
    findsTools: true,
    async run(args, { user, addTools }) {
      const { query: words } = readParams(parameters, args) as { query: string }
      if (!addTools) throw new AppError('tool_refused', 'tool_search works in a thread alone')
      const { searchByWords } = await import('#memory/word-search.ts')
      const texts = hidden(user).map(({ name, description }) => {
        return { name, text: `${name.replaceAll(/[_-]+/g, ' ')}. ${description.slice(0, maxTextChars)}`, updatedAt: 0 }
      })
      const found = await inPace(searchByWords(texts, words, maxFound))
      if (found.length === 0) return 'No tool matches. Try other words.'
      addTools(found)
      return `These tools are available now: ${found.join(', ')}`
    },
  }
}
