// Reads a server's list of tools: what can be offered, and why the rest cannot. The list is a stranger's.
import { byteLength, isObject, type JsonObject } from '#core/json.ts'
import type { ListedTool, McpHints } from '#core/mcp.ts'
import { excessOf } from '#lib/json-bounds.ts'
import { printable } from '#safety/printable.ts'

const maxSchemaBytes = 256 * 1024
const maxDescriptionBytes = 256 * 1024
const maxNameChars = 200
const maxTitleChars = 200
/** Schemas are walked recursively by the clients of some models. */
const schemaBounds = { values: 20_000, names: 10_000, levels: 64 }

/** A tool as the server listed it; undefined if it does not even have a name. */
export function readTool(listed: unknown): ListedTool | undefined {
  if (!isObject(listed) || typeof listed['name'] !== 'string' || listed['name'] === '') return undefined
  const { name, description = '', inputSchema, annotations, title, execution } = listed
  const letters = Array.from(name.slice(0, maxNameChars))
  const seen = letters.map((letter) => (printable(letter) === letter ? letter : '?')).join('')
  if (name.length > maxNameChars) return { name: seen, refused: `its name is over ${maxNameChars} characters` }
  if (seen !== name) return { name: seen, refused: 'its name has a control character or a hidden one' }
  if (typeof description !== 'string') return { name, refused: 'its description is not a text' }
  if (byteLength(description) > maxDescriptionBytes)
    return { name, refused: `its description is over ${maxDescriptionBytes / 1024} KB` }
  const fault = schemaFault(inputSchema)
  if (fault !== undefined) return { name, refused: fault }
  // Every call would fail, after a person was asked for it.
  if (isObject(execution) && execution['taskSupport'] === 'required')
    return { name, refused: 'it can only be called as a task, and tasks are not offered' }
  const hints = hintsOf(annotations, title)
  return {
    name,
    description: description.replaceAll('\0', ''),
    schema: inputSchema as JsonObject,
    ...(hints && { hints }),
  }
}

function schemaFault(schema: unknown): string | undefined {
  if (!isObject(schema) || schema['type'] !== 'object') return 'its schema is not that of an object'
  const text = Buffer.from(JSON.stringify(schema))
  if (text.length > maxSchemaBytes) return `its schema is over ${maxSchemaBytes / 1024} KB`
  const excess = excessOf(text, schemaBounds)
  return excess && `its schema has more than ${excess}`
}

function hintsOf(annotations: unknown, title: unknown): McpHints | undefined {
  const said = isObject(annotations) ? annotations : {}
  const words = [title, said['title']].find((each) => typeof each === 'string')
  const flags = Object.entries({
    readOnly: said['readOnlyHint'],
    destructive: said['destructiveHint'],
    idempotent: said['idempotentHint'],
    openWorld: said['openWorldHint'],
  }).filter(([, value]) => typeof value === 'boolean')
  const hints = { ...(words !== undefined && { title: words.slice(0, maxTitleChars) }), ...Object.fromEntries(flags) }
  return Object.keys(hints).length > 0 ? hints : undefined
}
