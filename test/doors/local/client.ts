// The operator's client of a house without doors.
import { createDocuments } from '#memory/documents.ts'
import { createOperatorClient, type OperatorClient } from '#turns/operator-client.ts'
import { type House, tools } from '../../turns/house.ts'

export function operatorClientOf({
  turns,
  threads,
  gates,
  store,
}: Pick<House, 'turns' | 'threads' | 'gates' | 'store'>): OperatorClient {
  return createOperatorClient({
    turns,
    threads,
    gates,
    documents: createDocuments({ store: store.documents }),
    models: { list: () => Promise.resolve([]) },
    tools: () => tools,
    policy: () => ({}),
    skills: () => Promise.resolve([]),
    missions: () => Promise.resolve({ missions: [], next_cursor: null }),
    notifications: () => Promise.resolve([]),
    login: () => Promise.resolve('link'),
    status: () =>
      Promise.resolve({
        provider: 'p',
        model: 'm',
        skippedModels: [],
        skills: [],
        costToday: { costUsd: 0.5, unpricedCalls: 0 },
        doors: [],
      }),
  })
}

/** For tests that change no settings. */
export const noSettings = {
  read: () => Promise.reject(new Error('no settings here')),
  change: () => Promise.reject(new Error('no settings here')),
  tryModel: () => Promise.reject(new Error('no model here')),
}
