// The model of the service that runs on a home. Its environment and keys may be others than those of this shell.
import type { ModelTrial, SettingsView } from '#core/admin.ts'
import { runningService } from './running-service.ts'
import { callService } from './service-client.ts'

/** The service asks a model for at most 30 s. */
export const serviceModelMs = 60_000

export type ServiceModel = Pick<SettingsView, 'model' | 'models' | 'providers'> & {
  /** Asks the model for one word, without its fallbacks. Throws the model's error. */
  readonly test: () => Promise<ModelTrial>
}

/** Undefined when no service runs. */
export async function serviceModel(home: string): Promise<ServiceModel | undefined> {
  const service = await runningService(home)
  if (!service) return undefined
  const { socket } = service
  // Responses are trusted: both sides of the socket have the same types.
  const view = (await callService(socket, { method: 'GET', path: '/model' })) as unknown as Omit<ServiceModel, 'test'>
  const ask = { method: 'POST', path: '/model/test', body: {}, withinMs: serviceModelMs } as const
  return { ...view, test: async () => (await callService(socket, ask)) as unknown as ModelTrial }
}
