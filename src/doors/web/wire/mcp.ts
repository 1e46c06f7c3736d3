// Wire format of MCP servers and their tools.
import * as z from 'zod/mini'

export const McpEffects = z.enum(['read', 'write', 'off'])

export const McpToolWire = z.object({
  /** The server's own name for it, and the model's. */
  name: z.string(),
  as: z.string(),
  description: z.string(),
  /** The effects that the operator allows: `read` runs at once, `write` asks, `off` takes it out. */
  effect: McpEffects,
  /** The agent has it only if it is `on`. */
  status: z.enum(['on', 'off', 'changed', 'refused']),
  /** The server's own description. No rule relies on it. */
  hints: z.exactOptional(z.array(z.enum(['read_only', 'destructive', 'idempotent', 'open_world']))),
  /** The changes since it was pinned. */
  difference: z.exactOptional(z.string()),
  /** Names this change, for its review. */
  change: z.exactOptional(z.string()),
  /** Why it cannot be offered. */
  refused: z.exactOptional(z.string()),
})

export const McpServerWire = z.object({
  name: z.string(),
  kind: z.enum(['stdio', 'http']),
  /** The command line or the URL. */
  address: z.string(),
  status: z.enum(['idle', 'ready', 'starting', 'failed', 'sign_in']),
  error: z.exactOptional(z.string()),
  /** All users have its tools. */
  everyone: z.boolean(),
  /** The server's words about itself, which the model never reads. */
  instructions: z.exactOptional(z.string()),
  tools: z.array(McpToolWire),
})

export const McpServersAnswer = z.object({ servers: z.array(McpServerWire) })

export type McpServer = z.output<typeof McpServerWire>
export type McpTool = z.output<typeof McpToolWire>
export type McpServerList = z.output<typeof McpServersAnswer>
export type McpEffect = z.output<typeof McpEffects>
