// The settings of the service, for the operator.
import type {
  Connection,
  ModelTrial,
  ProviderModels,
  Rules,
  Settings,
  SettingsChange,
} from '#doors/web/wire/settings.ts'
import { ApiFault, request } from '../api/client.ts'
import { loaded } from './loaded.ts'
import { service } from './service.ts'

const trialMs = 60_000

export const settings = loaded(() => request<Settings>('GET', '/api/settings'))

/** Changes some settings, from the next turn on. Another model is tested first. Throws ApiFault; nothing has changed then. */
export async function changeSettings(change: SettingsChange): Promise<void> {
  settings.data.value = await request<Settings>('PATCH', '/api/settings', { body: change, deadlineMs: trialMs })
  // Not awaited: the caller need not wait for the sidebar.
  void service.load()
}

/** True when a chosen model did not answer its test: `force` would store it. */
export function failedItsTest(error: unknown): boolean {
  return error instanceof ApiFault && error.code.startsWith('model_')
}

type Known = Settings['models'][number]

/** Chooses the model from the next turn on. The fallbacks stay, except the chosen model itself. Throws ApiFault. */
export async function chooseModel({ provider, name, base_url }: Known, { force = false } = {}): Promise<void> {
  const { model } = await request<Settings>('GET', '/api/settings')
  const chosen = `${provider}/${name}`
  const others = model.fallback.filter((each) => each !== chosen && !each.startsWith(`${chosen}@`))
  const fallback = others.join(', ') || null
  await changeSettings({ provider, model: name, base_url: base_url ?? null, fallback, ...(force && { force }) })
}

/** Sets one row of the policy. Throws ApiFault. */
export async function setPolicy(id: string, rules: Rules): Promise<void> {
  await changeSettings({ policy: { [id]: rules } })
}

/** Resets one row of the policy to its default. Throws ApiFault. */
export async function resetPolicy(id: string): Promise<void> {
  await changeSettings({ policy: { [id]: null } })
}

/** Switches one mark on or off. Throws ApiFault. */
export async function switchMark(id: string, on: boolean): Promise<void> {
  await changeSettings({ marks: { [id]: on } })
}

/** Sends one short prompt to a model that is not stored yet. Throws ApiFault. */
export function tryConnection(connection: Connection): Promise<ModelTrial> {
  return request<ModelTrial>('POST', '/api/settings/connection/test', { body: connection, deadlineMs: trialMs })
}

/** The models that a provider lists itself. Throws ApiFault. */
export async function listProviderModels(connection: Connection): Promise<readonly string[]> {
  const path = '/api/settings/connection/models'
  return (await request<ProviderModels>('POST', path, { body: connection, deadlineMs: trialMs })).models
}

/** Sends one short prompt to the model in use. Throws ApiFault. */
export function tryModel(): Promise<ModelTrial> {
  return request<ModelTrial>('POST', '/api/settings/test', { body: {}, deadlineMs: trialMs })
}
