// The agent's tools: list, switch, remove, test run, sign-in and secrets.
import { computed } from '@preact/signals'
import type { ToolAuth, ToolList, ToolNeeds, ToolTrial } from '#doors/web/wire/tool.ts'
import { request } from '../api/client.ts'
import { route } from '../router.ts'
import { loaded } from './loaded.ts'

const trialMs = 90_000

export const tools = loaded(async () => (await request<ToolList>('GET', '/api/tools')).tools)

/** The name in `/tools?tool=…`; undefined when none is chosen. */
export const openTool = computed(() => route.value.query.get('tool') ?? undefined)

export function toolAddress(name: string): string {
  return `/tools?${new URLSearchParams({ tool: name })}`
}

/** Switches a tool on or off for everybody. Throws ApiFault. */
export async function switchTool(name: string, enabled: boolean): Promise<void> {
  await request('PATCH', pathOf(name), { body: { enabled } })
  await tools.load()
}

/** Removes an installed tool and all of its secrets. Throws ApiFault. */
export async function removeTool(name: string): Promise<void> {
  await request('DELETE', pathOf(name))
  await tools.load()
}

/** Runs a tool once, outside of any thread. Throws ApiFault. */
export function tryTool(name: string, call: { params: unknown; context?: unknown }): Promise<ToolTrial> {
  return request<ToolTrial>('POST', `${pathOf(name)}/test`, { body: call, deadlineMs: trialMs })
}

/** The sign-in and the secrets that a tool needs. Throws ApiFault. */
export function readNeeds(name: string): Promise<ToolNeeds> {
  return request<ToolNeeds>('GET', `${pathOf(name)}/auth`)
}

/** Signs a tool in with a token or with another tool's secret; with neither, starts OAuth and returns its URL. Throws ApiFault. */
export function signToolIn(name: string, proof: { token?: string; use?: string }): Promise<ToolAuth> {
  return request<ToolAuth>('POST', `${pathOf(name)}/auth`, { body: proof })
}

/** Stores secrets that a tool's set-up asks for. Throws ApiFault. */
export async function setUpTool(name: string, secrets: Readonly<Record<string, string>>): Promise<void> {
  await request('POST', `${pathOf(name)}/setup`, { body: { secrets } })
}

/** Removes a secret of a tool. Throws ApiFault. */
export async function forgetSecret(name: string, secret: string): Promise<void> {
  await request('DELETE', `${pathOf(name)}/secrets/${encodeURIComponent(secret)}`)
}

function pathOf(name: string): string {
  return `/api/tools/${encodeURIComponent(name)}`
}
