// The settings of the service, for the operator.
import type { ModelTrial, Rules, Settings, SettingsChange } from '#doors/web/wire/settings.ts'
import { ask } from '../api/client.ts'
import { loaded } from './loaded.ts'
import { service } from './service.ts'

const trialMs = 60_000

export const settings = loaded(() => ask<Settings>('GET', '/api/settings'))

/** Changes some of them; the next turn follows. Throws ApiFault, and then nothing has changed. */
export async function changeSettings(change: SettingsChange): Promise<void> {
  settings.data.value = await ask<Settings>('PATCH', '/api/settings', { body: change })
  // The change is seen from here on: whoever clicks next must not wait for the side.
  void service.load()
}

/** Has another model answer from the next turn on; those that stand in stay, but for itself. Throws ApiFault. */
export async function chooseModel({ provider, name, base_url }: Settings['models'][number]): Promise<void> {
  const { model } = await ask<Settings>('GET', '/api/settings')
  const chosen = `${provider}/${name}`
  const others = model.fallback.filter((each) => each !== chosen && !each.startsWith(`${chosen}@`))
  await changeSettings({ provider, model: name, base_url: base_url ?? null, fallback: others.join(', ') || null })
}

/** Sets one row of the policy. Throws ApiFault. */
export async function setPolicy(id: string, rules: Rules): Promise<void> {
  await changeSettings({ policy: { [id]: rules } })
}

/** Takes one row of the policy back to its default. Throws ApiFault. */
export async function resetPolicy(id: string): Promise<void> {
  await changeSettings({ policy: { [id]: null } })
}

/** Switches one mark on or off. Throws ApiFault. */
export async function switchMark(id: string, on: boolean): Promise<void> {
  await changeSettings({ marks: { [id]: on } })
}

/** Asks the model in use for one word. Throws ApiFault. */
export function tryModel(): Promise<ModelTrial> {
  return ask<ModelTrial>('POST', '/api/settings/test', { body: {}, deadlineMs: trialMs })
}
