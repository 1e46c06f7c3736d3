// The settings of the service, for the operator.
import { ask } from '../api/client.ts'
import type { ModelTrial, Settings, SettingsChange } from '../api/wire.ts'
import { loaded } from './loaded.ts'
import { service } from './service.ts'

const trialMs = 60_000

export const settings = loaded(() => ask<Settings>('GET', '/api/settings'))

/** Changes some of them; the next turn follows. Throws ApiFault, and then nothing has changed. */
export async function changeSettings(change: SettingsChange): Promise<void> {
  settings.data.value = await ask<Settings>('PATCH', '/api/settings', { body: change })
  await service.load()
}

/** Asks the model in use for one word. Throws ApiFault. */
export function tryModel(): Promise<ModelTrial> {
  return ask<ModelTrial>('POST', '/api/settings/test', { body: {}, deadlineMs: trialMs })
}
