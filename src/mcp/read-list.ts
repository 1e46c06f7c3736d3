// Reads the tools of a connected server, page by page.
import type { Client } from '@modelcontextprotocol/client'
import { byteLength, isObject } from '#core/json.ts'
import type { ListedTool } from '#core/mcp.ts'
import { pace } from '#lib/pace.ts'
import { readTool } from './listing.ts'
import { wholeOfShort } from './long-messages.ts'

const maxTools = 500
const maxPages = 100
const maxListBytes = 4 * 1024 * 1024
const maxInstructionChars = 20_000

/** The tools and instructions of a server. */
export type ServerList = { readonly tools: readonly ListedTool[]; readonly instructions: string }

/** Each tool is checked by itself: one that is wrong does not hide the others. */
export async function readList(client: Client): Promise<ServerList> {
  // As the databases take it: PostgreSQL refuses NUL.
  const instructions = (client.getInstructions() ?? '')
    .replaceAll('\0', '')
    .slice(0, maxInstructionChars)
    .toWellFormed()
  if (!client.getServerCapabilities()?.tools) return { tools: [], instructions }
  const tools: ListedTool[] = []
  let bytes = 0
  const count = (text: string): void => {
    bytes += byteLength(text)
    if (bytes > maxListBytes) throw new Error(`its list is over ${maxListBytes / 1024 / 1024} MiB`)
  }
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const result = wholeOfShort(await client.request({ method: 'tools/list', params }, anyObject))
    const { tools: listed, nextCursor } = isObject(result) ? result : {}
    for (const each of Array.isArray(listed) ? (listed as unknown[]) : []) {
      // A tool may have half a megabyte.
      await pace()
      const tool = readTool(each)
      if (!tool) continue
      tools.push(tool)
      count(JSON.stringify(tool))
      if (tools.length > maxTools) throw new Error(`it lists more than ${maxTools} tools`)
    }
    if (typeof nextCursor !== 'string') return { tools, instructions }
    // It goes back to the server, and another one comes with each page.
    count(nextCursor)
    cursor = nextCursor
  }
  throw new Error(`its list has more than ${maxPages} pages`)
}

/** A schema for the client package that takes any object as it is. */
const anyObject = {
  '~standard': {
    version: 1,
    vendor: 'atrium',
    validate: (value: unknown) => (isObject(value) ? { value } : { issues: [{ message: 'the result is no object' }] }),
  },
} as const
