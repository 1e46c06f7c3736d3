// An MCP server and its tools as JSON, for the routes and `atrium mcp … --json`.
import type * as z from 'zod/mini'
import type { McpServerView, McpToolView } from '#core/mcp.ts'
import type { McpServerWire } from '#doors/web/wire/mcp.ts'
import { withoutUndefined } from '#lib/without-undefined.ts'

export function serverWire(server: McpServerView): z.output<typeof McpServerWire> {
  const { name, kind, address, status, error, everyone, instructions, tools } = server
  return {
    name,
    kind,
    address,
    status,
    ...(error !== undefined && { error }),
    everyone,
    ...(instructions !== '' && { instructions }),
    tools: tools.map(toolWire),
  }
}

/** A tool without its schema. */
export function toolWire(tool: McpToolView): z.output<typeof McpServerWire>['tools'][number] {
  const { name, as, description, effect, status, hints, difference, change, refused } = tool
  const said = [
    ...(hints?.readOnly ? ['read_only' as const] : []),
    ...(hints?.destructive ? ['destructive' as const] : []),
    ...(hints?.idempotent ? ['idempotent' as const] : []),
    ...(hints?.openWorld ? ['open_world' as const] : []),
  ]
  return {
    name,
    as,
    description,
    effect,
    status,
    ...(said.length > 0 && { hints: said }),
    ...withoutUndefined({ difference, change, refused }),
  }
}
