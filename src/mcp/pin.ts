// Pinned tools: a tool is offered as it was first seen. When the server describes it in another way it is taken out until
// the operator has reviewed the difference.
import { createHash } from 'node:crypto'
import { AppError } from '#core/errors.ts'
import { canonical } from '#core/json.ts'
import type { ListedTool, McpTool, OfferedTool } from '#core/mcp.ts'
import { nameKey } from '#core/tool-names.ts'
import { unifiedDiff } from '#lib/unified-diff.ts'
import { drained } from '#safety/drained.ts'
import { modelName } from './names.ts'

/** Tools of one server, with those that it no longer lists: a tool that was pinned is never forgotten by itself. */
const maxKnownTools = 1_000

/** A server may have changed all its tools at once: the diff of each is cheap. */
const maxDiffPairs = 10_000

/** The hash by which a change is noticed. */
export function pinOf({ description, schema }: Pick<OfferedTool, 'description' | 'schema'>): string {
  return createHash('sha256')
    .update(canonical([description, schema]))
    .digest('hex')
}

/**
 * The tools of a server after its list was read. Unchanged tools stay the same objects. Throws tool_refused for a list that
 * has too many new names.
 */
export function mergeTools(server: string, before: readonly McpTool[], listed: readonly ListedTool[]): McpTool[] {
  return drained(mergeInSlices(server, before, listed))
}

/** The same with a pause after each tool. */
export function* mergeInSlices(
  server: string,
  before: readonly McpTool[],
  listed: readonly ListedTool[],
): Generator<void, McpTool[]> {
  const known = new Map(before.map((tool) => [tool.name, tool]))
  const after = new Map<string, McpTool>()
  const taken = new Set(before.map(({ as }) => nameKey(as)))
  for (const each of listed) {
    // Of two tools with one name the first counts.
    if (after.has(each.name)) continue
    const tool = known.get(each.name)
    if (tool) after.set(each.name, seenAgain(tool, each))
    else {
      const as = modelName(server, each.name, taken)
      taken.add(nameKey(as))
      after.set(each.name, firstSeen(each, as))
    }
    yield
  }
  const gone = before.filter(({ name }) => !after.has(name))
  if (after.size + gone.length > maxKnownTools) {
    throw new AppError(
      'tool_refused',
      `the MCP server ${server} has listed more than ${maxKnownTools} tools by and by: accept those that are gone with \`atrium mcp review ${server}\`, or remove the server`,
    )
  }
  return [...after.values(), ...gone.map(asGone)]
}

/** True when nothing about the tools has changed. */
export function sameTools(before: readonly McpTool[], after: readonly McpTool[]): boolean {
  const known = new Set(before)
  return before.length === after.length && after.every((tool) => known.has(tool))
}

/** The changes to accept: of one tool or of all, and only those that were seen, by their pins. */
export type Acceptance = { readonly tool?: string | undefined; readonly seen?: readonly string[] | undefined }

/** The tools once the operator has accepted what changed, with a pause after each tool. */
export function* reviewInSlices(
  tools: readonly McpTool[],
  { tool: only, seen }: Acceptance = {},
): Generator<void, McpTool[]> {
  const after: McpTool[] = []
  for (const tool of tools) {
    const { changed, ...rest } = tool
    const isMeant = changed !== undefined && (only === undefined || tool.name === only)
    if (!isMeant || (seen && !seen.includes(changePin(tool) ?? ''))) after.push(tool)
    else if (changed !== 'gone') after.push({ ...rest, pinned: changed })
    yield
  }
  return after
}

/** Names a change, so that only what was seen is accepted; undefined if nothing changed. */
export function changePin({ changed }: McpTool): string | undefined {
  return typeof changed === 'object' ? pinOf(changed) : changed
}

/** The change of a tool, as a person reads it; undefined if there is none. */
export function differenceOf({ name, pinned, changed }: McpTool): string | undefined {
  if (changed === undefined) return undefined
  if (changed === 'gone') return 'The server no longer offers this tool.'
  return unifiedDiff(name, pinned && textOf(pinned), textOf(changed), maxDiffPairs).text
}

function firstSeen(listed: ListedTool, as: string): McpTool {
  const { name } = listed
  if ('refused' in listed) return { name, as, effect: 'write', refused: listed.refused }
  return { name, as, effect: 'write', pinned: listed }
}

function seenAgain(tool: McpTool, listed: ListedTool): McpTool {
  const { name, as, effect, pinned } = tool
  if ('refused' in listed) {
    if (tool.refused === listed.refused) return tool
    return { name, as, effect, ...(pinned && { pinned }), refused: listed.refused }
  }
  // It was refused at first sight: now it is seen for the first time.
  if (!pinned) return { name, as, effect, pinned: listed }
  if (isSame(pinned, listed))
    return tool.changed === undefined && tool.refused === undefined ? tool : { name, as, effect, pinned }
  const { changed } = tool
  const seenBefore = typeof changed === 'object' && isSame(changed, listed)
  return seenBefore ? tool : { name, as, effect, pinned, changed: listed }
}

/** True for tools of one pin. Most are equal to the letter, which is found out without sorting their keys. */
function isSame(one: OfferedTool, two: OfferedTool): boolean {
  if (one.description !== two.description) return false
  return JSON.stringify(one.schema) === JSON.stringify(two.schema) || canonical(one.schema) === canonical(two.schema)
}

function asGone(tool: McpTool): McpTool {
  if (tool.changed === 'gone') return tool
  const { name, as, effect, pinned } = tool
  return { name, as, effect, ...(pinned && { pinned }), changed: 'gone' }
}

function textOf({ description, schema }: OfferedTool): string {
  return `${description}\n\n${JSON.stringify(schema, null, 2)}\n`
}
