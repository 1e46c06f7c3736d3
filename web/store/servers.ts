// MCP servers: list, effects of tools, review of what changed, test and removal. Only the operator has them.
import { computed } from '@preact/signals'
import type { McpEffect, McpServer, McpServerList, McpTool } from '#doors/web/wire/mcp.ts'
import type { ToolTrial } from '#doors/web/wire/tool.ts'
import { request } from '../api/client.ts'
import { route } from '../router.ts'
import { loaded } from './loaded.ts'
import { isOperator } from './session.ts'
import { tools } from './tools.ts'

const startMs = 150_000
/** The server and its authorization server are asked how to sign in. */
const signInMs = 90_000

export const servers = loaded(async (): Promise<McpServer[]> => {
  return isOperator.value ? (await request<McpServerList>('GET', '/api/mcp')).servers : []
})

/** The name in `/tools?server=…`; undefined when none is chosen. */
export const openServer = computed(() => route.value.query.get('server') ?? undefined)

export function serverAddress(name: string): string {
  return `/tools?${new URLSearchParams({ server: name })}`
}

/** Says what calls of a tool may do. Throws ApiFault. */
export async function setEffect(server: string, tool: string, effect: McpEffect): Promise<void> {
  await request('PATCH', `${pathOf(server)}/tools/${encodeURIComponent(tool)}`, { body: { effect } })
  await reload()
}

/** Accepts what the server changed in these tools, as it was shown. Throws ApiFault. */
export async function reviewTools(server: string, tools: readonly McpTool[]): Promise<void> {
  const [only, ...others] = tools
  const tool = only && others.length === 0 ? { tool: only.name } : {}
  await request('POST', `${pathOf(server)}/review`, {
    body: { ...tool, changes: tools.map(({ change = '' }) => change) },
  })
  await reload()
}

/** Starts the server and reads its list. Throws ApiFault. */
export async function tryServer(server: string): Promise<ToolTrial> {
  const trial = await request<ToolTrial>('POST', `${pathOf(server)}/test`, { body: {}, deadlineMs: startMs })
  await reload()
  return trial
}

/** Begins the sign-in to a server, and returns the address to open. Throws ApiFault. */
export async function signServerIn(server: string): Promise<string> {
  return (await request<{ url: string }>('POST', `${pathOf(server)}/auth`, { body: {}, deadlineMs: signInMs })).url
}

/** Removes a server and its tools. Throws ApiFault. */
export async function removeServer(server: string): Promise<void> {
  await request('DELETE', pathOf(server))
  await reload()
}

async function reload(): Promise<void> {
  await Promise.all([servers.load(), tools.load()])
}

function pathOf(name: string): string {
  return `/api/mcp/${encodeURIComponent(name)}`
}
