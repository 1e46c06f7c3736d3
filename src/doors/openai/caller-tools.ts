// Functions that a request declares: their schema, and the rules that every API door enforces.
import * as z from 'zod/mini'
import { byteLength, canonical, type JsonObject } from '#core/json.ts'
import { agentPrefixes } from '#core/tool-names.ts'
import type { ToolSpec } from '#core/tool.ts'
import { wrongField } from '#http/validate.ts'
import { overBounds } from './bounds.ts'

const maxToolsBytes = 16 * 1024
/** Schemas are adapted to the provider before every model call. Larger ones would block the event loop. */
export const schemaBounds = { levels: 64, values: 2_000 }

export const ToolSchema = z.object(
  {
    type: z.literal('function', { error: 'must be "function": other kinds of tools are not offered here' }),
    name: z
      .string({ error: 'must be a string' })
      .check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'must be 1 to 64 letters, digits, _ or -' })),
    description: z.nullish(z.string({ error: 'must be a string' })),
    parameters: z.nullish(z.record(z.string(), z.unknown(), { error: 'must be an object' })),
    strict: z.nullish(z.boolean({ error: 'must be true or false' })),
  },
  { error: 'must be an object' },
)

export type CallerTools = readonly z.output<typeof ToolSchema>[]

/** Throws invalid_input for a request with tools. Called where the service runs without functions of the caller. */
export function refuseCallerTools(raw: Readonly<Record<string, unknown>>): void {
  const problem = 'is not supported here: this service runs without functions of the caller'
  const { tools, tool_choice: choice } = raw
  if (Array.isArray(tools) && tools.length > 0) throw wrongField('tools', problem)
  if (choice != null) throw wrongField('tool_choice', problem)
}

/** The checked tools of a request. `raw` is the list as sent; the size limits apply to it. */
export function readCallerTools(
  tools: CallerTools,
  raw: unknown,
  registered: Pick<ReadonlySet<string>, 'has'>,
): ToolSpec[] {
  if (tools.length === 0) return []
  const over = overBounds(raw, schemaBounds)
  if (over) throw wrongField('tools', over)
  const bytes = byteLength(canonical(raw))
  if (bytes > maxToolsBytes) throw wrongField('tools', `has ${bytes} bytes of canonical JSON, at most ${maxToolsBytes}`)
  const seen = new Set<string>()
  return tools.map(({ name, description, parameters, strict }, at) => {
    const path = `tools[${at}].name`
    if (seen.has(name)) throw wrongField(path, `is used twice: ${name}`)
    seen.add(name)
    if (registered.has(name) || agentPrefixes.some((prefix) => name.startsWith(prefix))) {
      throw wrongField(path, `must not be ${name}: the service has an action of that name, choose another`)
    }
    return {
      name,
      description: description ?? '',
      parameters: (parameters ?? {}) as JsonObject,
      ...(strict != null && { strict }),
    }
  })
}
