// The tools of the agent: what each may do, whether it is on, what it needs, and a try of it.
import { computed } from '@preact/signals'
import type { ToolAuth, ToolList, ToolNeeds, ToolTrial } from '#doors/web/wire/tool.ts'
import { ask } from '../api/client.ts'
import { place } from '../router.ts'
import { type Loaded, loaded } from './loaded.ts'

const trialMs = 90_000

export const tools = loaded(async () => (await ask<ToolList>('GET', '/api/tools')).tools)

/** The name in `/tools?tool=…`, undefined where none is chosen. */
export const openTool = computed(() => place.value.query.get('tool') ?? undefined)

export function toolAddress(name: string): string {
  return `/tools?${new URLSearchParams({ tool: name })}`
}

/** Switches a tool on or off for everybody. Throws ApiFault. */
export async function switchTool(name: string, enabled: boolean): Promise<void> {
  await ask('PATCH', pathOf(name), { body: { enabled } })
  await tools.load()
}

/** Removes an installed tool, with every secret that it was given. Throws ApiFault. */
export async function removeTool(name: string): Promise<void> {
  await ask('DELETE', pathOf(name))
  await tools.load()
}

/** Runs a tool once, outside of any thread. Throws ApiFault. */
export function tryTool(name: string, params: unknown): Promise<ToolTrial> {
  return ask<ToolTrial>('POST', `${pathOf(name)}/test`, { body: { params }, deadlineMs: trialMs })
}

/** What a tool needs to sign in and to be set up. */
export function needsOf(name: string): Loaded<ToolNeeds> {
  return loaded(() => ask<ToolNeeds>('GET', `${pathOf(name)}/auth`))
}

/** Signs a tool in: with a token, with another tool's secret, or by the address of its server. Throws ApiFault. */
export function signToolIn(name: string, proof: { token?: string; use?: string }): Promise<ToolAuth> {
  return ask<ToolAuth>('POST', `${pathOf(name)}/auth`, { body: proof })
}

/** Stores secrets of a tool's set-up. Throws ApiFault. */
export async function setUpTool(name: string, secrets: Readonly<Record<string, string>>): Promise<void> {
  await ask('POST', `${pathOf(name)}/setup`, { body: { secrets } })
}

/** Removes a secret of a tool. Throws ApiFault. */
export async function forgetSecret(name: string, secret: string): Promise<void> {
  await ask('DELETE', `${pathOf(name)}/secrets/${encodeURIComponent(secret)}`)
}

function pathOf(name: string): string {
  return `/api/tools/${encodeURIComponent(name)}`
}
